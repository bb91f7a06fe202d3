/* lbp/base/platform.h - the differences between POSIX and Windows: files, locks, clocks, threads.
 *
 * Version 1.0.0. MIT licence, see LICENSE. lbp_run.h includes it. Needs POSIX.1-2008, or Windows 7 or later (mingw-w64,
 * clang or MSVC). lbp.h and the headers that need only a C compiler do not include it.
 *
 * Paths are UTF-8 on Windows, whatever the code page is, and may be longer than 260 characters; on POSIX they are
 * bytes.
 * Files are descriptors of the C library in both cases. They are opened without a translation of line ends, are not
 * inherited by programs that this one starts, and can be read, renamed and removed by others while they are open.
 * Functions that fail set errno, unless their comments state otherwise.
 */

#ifndef LBP_PLATFORM_H
#define LBP_PLATFORM_H

#include "support.h"

#if defined _WIN32
#define LBP_P_WINDOWS 1
#elif defined _POSIX_C_SOURCE || defined _XOPEN_SOURCE || defined _GNU_SOURCE
#define LBP_P_WINDOWS 0
#elif !defined __STRICT_ANSI__ && (defined __unix__ || defined __unix || defined __APPLE__)
#define LBP_P_WINDOWS 0
#else
#error "lbp_run.h: needs POSIX or Windows; with -std=c99 and the like, compile with -D_POSIX_C_SOURCE=200809L"
#define LBP_P_NO_PLATFORM
#endif

#ifndef LBP_P_NO_PLATFORM

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#if LBP_P_WINDOWS
#include <io.h>
#include <process.h>
#include <wchar.h>
/* Without what these headers define in addition: min, max, and `near` and `far`, which are good names of variables. */
#ifndef _WINDOWS_
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#define LBP_P_LEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#define LBP_P_NO_MINMAX
#endif
#include <windows.h>
#undef near
#undef far
#undef NEAR
#undef FAR
#define NEAR
#define FAR
#ifdef LBP_P_LEAN
#undef WIN32_LEAN_AND_MEAN
#undef LBP_P_LEAN
#endif
#ifdef LBP_P_NO_MINMAX
#undef NOMINMAX
#undef LBP_P_NO_MINMAX
#endif
#endif
#if defined __MINGW32__ && !defined _UCRT && !__USE_MINGW_ANSI_STDIO
#error "lbp_run.h: don't define __USE_MINGW_ANSI_STDIO as 0: files of draws would have numbers such as 1e-007"
#endif
#else
#include <pthread.h>
#include <unistd.h>
#endif

/* For a variable that a program, or a shared library, has once, although each of its translation units defines it:
 * LBP_ONCE(type, name, value). Where the compiler cannot do that, each unit has its own. */
#if defined __GNUC__ && (defined __ELF__ || defined __APPLE__)
#define LBP_P_WEAK __attribute__((weak, visibility("hidden")))
#define LBP_P_ONCE(type, name) extern LBP_P_WEAK type name; LBP_P_WEAK type name
#elif defined _WIN32 && (defined __GNUC__ || defined _MSC_VER) /* a declaration before it is one too many */
#define LBP_P_ONCE(type, name) __declspec(selectany) type name
#endif
#if defined LBP_P_ONCE && defined __cplusplus
#define LBP_ONCE(type, name, ...) extern "C" { LBP_P_ONCE(type, name) = __VA_ARGS__; }
#elif defined LBP_P_ONCE
#define LBP_ONCE(type, name, ...) LBP_P_ONCE(type, name) = __VA_ARGS__;
#else
#define LBP_ONCE(type, name, ...) static type name = __VA_ARGS__;
#endif

/* How to open a file. Without LBP_FILE_FOLLOW a symbolic link is not followed, but an error. */
enum {
  LBP_FILE_READ = 1,
  LBP_FILE_WRITE = 2,
  LBP_FILE_APPEND = 4 | 2, /* all that is written goes to the end */
  LBP_FILE_CREATE = 8,     /* if it is not there */
  LBP_FILE_NEW = 16 | 8,   /* it must not be there */
  LBP_FILE_FOLLOW = 32,
  LBP_FILE_FLUSH = 64      /* only for lbp_file_flush */
};

/* What a file is: whether it is a regular one, not a folder, link, pipe or device; its bytes; by how many names it is
 * known, 0 if it has been removed; and which one it is, by whatever name. */
typedef struct {
  int regular;
  uint64_t bytes, names, device, number;
} lbp_file_info;

/* The number of a signal that lbp_signals_catch has caught; 0: none. */
LBP_ONCE(volatile sig_atomic_t, lbp_p_signal_1, 0)

LBP_FN void lbp_p_signal_note(int number) { lbp_p_signal_1 = number; }

/* Returns whether a signal was caught since lbp_signals_catch. */
LBP_FN int lbp_signals_met(void) { return lbp_p_signal_1 != 0; }

/* ---- POSIX ------------------------------------------------------------------------------------------------------- */

#if !LBP_P_WINDOWS

/* A process. */
typedef pid_t lbp_process;

/* Returns this process's number. */
LBP_FN lbp_process lbp_process_own(void) { return getpid(); }

/* Returns seconds on a monotonic clock with an arbitrary origin. */
LBP_FN double lbp_run_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Splits a time into its parts, UTC; returns whether it can. */
LBP_FN int lbp_time_parts(time_t at, struct tm *parts) { return gmtime_r(&at, parts) != NULL; }

/* Returns whether a stream is a terminal. */
LBP_FN int lbp_is_terminal(FILE *stream) { return isatty(fileno(stream)); }

/* What SIGTERM and SIGINT did before they were caught. */
typedef struct {
  struct sigaction before[2];
  int caught[2];
} lbp_signals;

/* Catches SIGTERM and SIGINT, until lbp_signals_release. A second one of a kind ends the program. A signal that is
 * ignored stays so. */
LBP_FN void lbp_signals_catch(lbp_signals *s) {
  struct sigaction note;
  int k;
  memset(&note, 0, sizeof note);
  note.sa_handler = lbp_p_signal_note;
  note.sa_flags = SA_RESTART | (int)SA_RESETHAND;
  sigemptyset(&note.sa_mask);
  lbp_p_signal_1 = 0;
  for (k = 0; k < 2; k++) {
    const int number = k == 0 ? SIGTERM : SIGINT;
    s->caught[k] = sigaction(number, NULL, &s->before[k]) == 0 && s->before[k].sa_handler != SIG_IGN &&
                   sigaction(number, &note, NULL) == 0;
  }
}

/* What they did before, they do again: also now, if one was caught that the caller has not obeyed. */
LBP_FN void lbp_signals_release(lbp_signals *s, int obeyed) {
  const int met = lbp_p_signal_1;
  int k;
  for (k = 0; k < 2; k++) {
    if (s->caught[k]) (void)sigaction(k == 0 ? SIGTERM : SIGINT, &s->before[k], NULL);
  }
  if (met != 0 && !obeyed) (void)raise(met);
}

/* Returns the machine's memory in bytes; 0 if it is unknown. */
LBP_FN double lbp_machine_bytes(void) {
#ifdef _SC_PHYS_PAGES
  const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
  if (pages > 0 && bytes > 0) return (double)pages * (double)bytes;
#endif
  return 0;
}

/* Waits for its turn, which one thread of a process has at a time; *owner is 0, or the process whose thread has it. An
 * owner from before a fork is not waited for: it is not in this process. (Without atomics of GCC or Windows: returns
 * at once.) */
LBP_FN void lbp_turn_take(lbp_process *owner) {
#if defined __GNUC__
  const struct timespec moment = {0, 100000};
  for (;;) {
    const lbp_process has = __sync_val_compare_and_swap(owner, 0, getpid());
    if (has == 0) return;
    if (has == getpid()) nanosleep(&moment, NULL);
    else (void)__sync_bool_compare_and_swap(owner, has, 0);
  }
#else
  (void)owner;
#endif
}

/* Ends a turn. */
LBP_FN void lbp_turn_end(lbp_process *owner) {
#if defined __GNUC__
  (void)__sync_bool_compare_and_swap(owner, getpid(), 0);
#else
  (void)owner;
#endif
}

/* Opens a file, by LBP_FILE_READ and the like; of pipes, too, without waiting. Returns its descriptor, or -1; errno is
 * ELOOP where a link is not followed. */
LBP_FN int lbp_file_open(const char *path, unsigned how) {
  int flags = O_CLOEXEC | O_NONBLOCK;
  flags |= how & LBP_FILE_WRITE ? how & LBP_FILE_READ ? O_RDWR : O_WRONLY : O_RDONLY;
  if ((how & LBP_FILE_APPEND) == LBP_FILE_APPEND) flags |= O_APPEND;
  if (how & LBP_FILE_CREATE) flags |= O_CREAT;
  if ((how & LBP_FILE_NEW) == LBP_FILE_NEW) flags |= O_EXCL;
  if (!(how & LBP_FILE_FOLLOW)) flags |= O_NOFOLLOW;
  return open(path, flags, 0666);
}

/* Closes a file; returns 0, or -1. */
LBP_FN int lbp_file_close(int file) { return close(file); }

LBP_FN void lbp_p_file_info(lbp_file_info *info, const struct stat *seen) {
  info->regular = S_ISREG(seen->st_mode);
  info->bytes = (uint64_t)seen->st_size;
  info->names = (uint64_t)seen->st_nlink;
  info->device = (uint64_t)seen->st_dev;
  info->number = (uint64_t)seen->st_ino;
}

/* Describes an open file; returns 0, or -1. */
LBP_FN int lbp_file_describe(int file, lbp_file_info *info) {
  struct stat seen;
  if (fstat(file, &seen) != 0) return -1;
  lbp_p_file_info(info, &seen);
  return 0;
}

/* Describes the file of a name, or with how = LBP_FILE_FOLLOW the one that a link leads to; returns 0, or -1. */
LBP_FN int lbp_file_look(const char *path, unsigned how, lbp_file_info *info) {
  struct stat seen;
  if ((how & LBP_FILE_FOLLOW ? stat(path, &seen) : lstat(path, &seen)) != 0) return -1;
  lbp_p_file_info(info, &seen);
  return 0;
}

/* Reads the next bytes, up to so many. Returns their number, 0 at the end, or -1. */
LBP_FN int64_t lbp_file_read(int file, void *data, size_t bytes) {
  ssize_t part;
  do part = read(file, data, bytes);
  while (part < 0 && errno == EINTR);
  return part;
}

/* Writes all bytes; returns whether that went well. */
LBP_FN int lbp_file_write(int file, const void *data, size_t bytes) {
  const char *at = (const char *)data;
  while (bytes > 0) {
    const ssize_t part = write(file, at, bytes);
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) return 0;
    at += part;
    bytes -= (size_t)part;
  }
  return 1;
}

/* Goes to a place from which to read or write; returns 0, or -1. */
LBP_FN int lbp_file_seek(int file, uint64_t at) { return lseek(file, (off_t)at, SEEK_SET) < 0 ? -1 : 0; }

/* Cuts a file to so many bytes; returns 0, or -1. */
LBP_FN int lbp_file_cut(int file, uint64_t bytes) { return ftruncate(file, (off_t)bytes); }

/* Waits until a file, opened with LBP_FILE_FLUSH, is on the disk; returns 0, or -1. */
LBP_FN int lbp_file_flush(int file) { return fsync(file); }

/* Waits until the folder of a file knows the file's new name. */
LBP_FN void lbp_file_flush_folder(const char *path) {
  char folder[1024];
  const char *slash = strrchr(path, '/');
  int file;
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
  file = open(folder, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  (void)fsync(file); /* some file systems can't, and need not */
  close(file);
}

/* Removes a name of a file, which is no folder; returns 0, or -1. */
LBP_FN int lbp_file_remove(const char *path) { return unlink(path); }

/* Gives a file the name of another, which it replaces at once; returns 0, or -1. */
LBP_FN int lbp_file_replace(const char *fresh, const char *path) { return rename(fresh, path); }

/* Locks of open file descriptions, where the system has them, keep all threads apart; others only processes. */
#if defined F_OFD_SETLK
enum { LBP_P_SETLK = F_OFD_SETLK };
#elif defined __linux__
enum { LBP_P_SETLK = 37 }; /* the same: <fcntl.h> shows the name to those who define _GNU_SOURCE */
#else
enum { LBP_P_SETLK = F_SETLK };
#endif

LBP_FN int lbp_p_file_lock(int file, short kind) {
  struct flock lock;
  int failed;
  memset(&lock, 0, sizeof lock);
  lock.l_type = kind;
  lock.l_whence = SEEK_SET;
  failed = fcntl(file, LBP_P_SETLK, &lock);
  if (failed != 0 && (errno == EINVAL || kind == F_UNLCK)) failed = fcntl(file, F_SETLK, &lock); /* an old kernel */
  return failed;
}

/* Locks an open file, until it is closed. Returns 0, also where the file system has no locks; or 1 if it is locked by
 * another process, or by another descriptor where locks are those of descriptors. */
LBP_FN int lbp_file_lock(int file) {
  return lbp_p_file_lock(file, F_WRLCK) != 0 && (errno == EACCES || errno == EAGAIN);
}

/* Unlocks it, also for processes that have been forked since. */
LBP_FN void lbp_file_unlock(int file) { (void)lbp_p_file_lock(file, F_UNLCK); }

/* A thread that does one thing after another, and a lock of what it shares. */
typedef struct {
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t over;
  int running, ended;
  void (*work)(void *data);
  void *data;
} lbp_thread;

/* Makes one, which does nothing yet. */
LBP_FN void lbp_thread_init(lbp_thread *t) {
  t->running = t->ended = 0;
  pthread_mutex_init(&t->mutex, NULL);
  pthread_cond_init(&t->over, NULL);
}

/* Locks and unlocks what the thread shares. */
LBP_FN void lbp_thread_lock(lbp_thread *t) { pthread_mutex_lock(&t->mutex); }
LBP_FN void lbp_thread_unlock(lbp_thread *t) { pthread_mutex_unlock(&t->mutex); }

LBP_FN void *lbp_p_thread_work(void *data) {
  lbp_thread *t = (lbp_thread *)data;
  t->work(t->data);
  lbp_thread_lock(t);
  t->ended = 1;
  pthread_cond_signal(&t->over);
  lbp_thread_unlock(t);
  return NULL;
}

/* Begins work(data). Signals are for the caller's threads, not for this one and those that it begins. Returns 0, or
 * another number if there is no thread. */
LBP_FN int lbp_thread_begin(lbp_thread *t, void (*work)(void *data), void *data) {
  sigset_t all, before;
  int failed;
  t->work = work;
  t->data = data;
  t->ended = 0;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  failed = pthread_create(&t->thread, NULL, lbp_p_thread_work, t);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  t->running = !failed;
  return failed;
}

/* Waits until the work has ended, at most so many seconds, from 0 to 1e8; returns whether it has. */
LBP_FN int lbp_thread_await(lbp_thread *t, double seconds) {
  struct timespec until;
  int ended;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += (time_t)seconds;
  until.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
  if (until.tv_nsec >= 1000000000L) until.tv_sec++, until.tv_nsec -= 1000000000L;
  lbp_thread_lock(t);
  while (!t->ended && pthread_cond_timedwait(&t->over, &t->mutex, &until) == 0) continue;
  ended = t->ended;
  lbp_thread_unlock(t);
  return ended;
}

/* Waits until the work has ended, if it was begun. */
LBP_FN void lbp_thread_end(lbp_thread *t) {
  if (t->running) pthread_join(t->thread, NULL);
  t->running = 0;
}

/* Frees one whose work has ended. */
LBP_FN void lbp_thread_free(lbp_thread *t) {
  pthread_cond_destroy(&t->over);
  pthread_mutex_destroy(&t->mutex);
}

#else

/* ---- Windows: see above ------------------------------------------------------------------------------------------ */

typedef long lbp_process;

LBP_FN lbp_process lbp_process_own(void) { return (long)GetCurrentProcessId(); }

LBP_FN double lbp_run_now(void) {
  LARGE_INTEGER ticks, rate;
  QueryPerformanceCounter(&ticks);
  QueryPerformanceFrequency(&rate);
  return (double)ticks.QuadPart / (double)rate.QuadPart;
}

LBP_FN int lbp_time_parts(time_t at, struct tm *parts) { return gmtime_s(parts, &at) == 0; }

LBP_FN int lbp_is_terminal(FILE *stream) { return _isatty(_fileno(stream)); }

typedef struct {
  void (*before[2])(int);
} lbp_signals;

LBP_FN void lbp_signals_catch(lbp_signals *s) {
  int k;
  lbp_p_signal_1 = 0;
  for (k = 0; k < 2; k++) {
    s->before[k] = signal(k == 0 ? SIGTERM : SIGINT, lbp_p_signal_note);
    if (s->before[k] == SIG_IGN) (void)signal(k == 0 ? SIGTERM : SIGINT, SIG_IGN);
  }
}

LBP_FN void lbp_signals_release(lbp_signals *s, int obeyed) {
  const int met = lbp_p_signal_1;
  int k;
  for (k = 0; k < 2; k++) {
    if (s->before[k] != SIG_ERR) (void)signal(k == 0 ? SIGTERM : SIGINT, s->before[k]);
  }
  if (met != 0 && !obeyed) (void)raise(met);
}

LBP_FN double lbp_machine_bytes(void) {
  MEMORYSTATUSEX memory;
  memory.dwLength = sizeof memory;
  return GlobalMemoryStatusEx(&memory) ? (double)memory.ullTotalPhys : 0;
}

LBP_FN void lbp_turn_take(lbp_process *owner) {
  while (InterlockedCompareExchange(owner, lbp_process_own(), 0) != 0) Sleep(1);
}

LBP_FN void lbp_turn_end(lbp_process *owner) { (void)InterlockedExchange(owner, 0); }

/* errno of what went wrong last; returns -1. */
LBP_FN int lbp_p_windows_error(void) {
  static const struct { DWORD error; int number; } known[] = {
      {ERROR_FILE_NOT_FOUND, ENOENT}, {ERROR_PATH_NOT_FOUND, ENOENT}, {ERROR_INVALID_DRIVE, ENOENT},
      {ERROR_BAD_NETPATH, ENOENT}, {ERROR_BAD_NET_NAME, ENOENT}, {ERROR_INVALID_NAME, EINVAL},
      {ERROR_DIRECTORY, ENOTDIR}, {ERROR_ACCESS_DENIED, EACCES}, {ERROR_SHARING_VIOLATION, EACCES},
      {ERROR_LOCK_VIOLATION, EACCES}, {ERROR_WRITE_PROTECT, EROFS}, {ERROR_FILE_EXISTS, EEXIST},
      {ERROR_ALREADY_EXISTS, EEXIST}, {ERROR_DISK_FULL, ENOSPC}, {ERROR_HANDLE_DISK_FULL, ENOSPC},
      {ERROR_TOO_MANY_OPEN_FILES, EMFILE}, {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
      {ERROR_NO_UNICODE_TRANSLATION, EILSEQ}, {ERROR_INSUFFICIENT_BUFFER, ENAMETOOLONG},
      {ERROR_NOT_ENOUGH_MEMORY, ENOMEM}};
  const DWORD error = GetLastError();
  size_t k;
  errno = EIO;
  for (k = 0; k < sizeof known / sizeof *known; k++) {
    if (known[k].error == error) errno = known[k].number;
  }
  return -1;
}

/* A path in UTF-16, absolute and with the mark that lifts the limit of 260 characters if it is long. Returns it, or
 * NULL. */
enum { LBP_P_WIDE = 2048 };
LBP_FN const wchar_t *lbp_p_wide(const char *path, wchar_t *wide) {
  wchar_t given[LBP_P_WIDE];
  const wchar_t mark[] = {'\\', '\\', '?', '\\'};
  DWORD length;
  if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, given, LBP_P_WIDE) == 0) {
    lbp_p_windows_error();
    return NULL;
  }
  length = GetFullPathNameW(given, LBP_P_WIDE - 4, wide + 4, NULL);
  if (length < 240 || length >= LBP_P_WIDE - 4 || wide[4] == '\\') {
    memcpy(wide, given, sizeof given);
  } else {
    memcpy(wide, mark, sizeof mark);
  }
  return wide;
}

/* Whether to try again: programs that look for viruses, or make an index, open files for a moment after others have
 * closed them. */
LBP_FN int lbp_p_try_again(int *tries) {
  const DWORD error = GetLastError();
  if (error != ERROR_ACCESS_DENIED && error != ERROR_SHARING_VIOLATION && error != ERROR_DELETE_PENDING) return 0;
  if (++*tries > 20) return 0;
  Sleep((DWORD)*tries);
  SetLastError(error);
  return 1;
}

/* Describes what a handle is of; whether it is a link: other points of reparse, as of files that are in a cloud, count
 * as regular files and are opened again with `as_file`. Returns 0, or -1. */
LBP_FN int lbp_p_handle_info(HANDLE handle, lbp_file_info *info, int *is_link, int *as_file) {
  const DWORD apart = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_DEVICE;
  BY_HANDLE_FILE_INFORMATION seen;
  FILE_STANDARD_INFO standard;
  FILE_ATTRIBUTE_TAG_INFO tag;
  memset(info, 0, sizeof *info);
  *is_link = *as_file = 0;
  if (GetFileType(handle) != FILE_TYPE_DISK) return 0;
  if (!GetFileInformationByHandle(handle, &seen)) return lbp_p_windows_error();
  if (seen.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) {
    const int known = GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &tag, sizeof tag);
    *is_link = known && (tag.ReparseTag & 0x20000000u); /* the bit of those that stand for another name */
    *as_file = !*is_link;
  }
  info->regular = !(seen.dwFileAttributes & apart) && !*is_link;
  info->bytes = (uint64_t)seen.nFileSizeHigh << 32 | seen.nFileSizeLow;
  info->names = seen.nNumberOfLinks;
  if (GetFileInformationByHandleEx(handle, FileStandardInfo, &standard, sizeof standard) && standard.DeletePending) {
    info->names = 0;
  }
  info->device = seen.dwVolumeSerialNumber;
  info->number = (uint64_t)seen.nFileIndexHigh << 32 | seen.nFileIndexLow;
  return 0;
}

/* The handle of a path, with these rights; INVALID_HANDLE_VALUE: none, and errno. */
LBP_FN HANDLE lbp_p_handle_open(const char *path, unsigned how, DWORD rights) {
  const DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  const DWORD make = (how & LBP_FILE_NEW) == LBP_FILE_NEW ? CREATE_NEW : how & LBP_FILE_CREATE ? OPEN_ALWAYS :
                     OPEN_EXISTING;
  DWORD flags = FILE_FLAG_BACKUP_SEMANTICS | (how & LBP_FILE_FOLLOW ? 0 : FILE_FLAG_OPEN_REPARSE_POINT);
  wchar_t wide[LBP_P_WIDE];
  int tries = 0;
  if (!lbp_p_wide(path, wide)) return INVALID_HANDLE_VALUE;
  for (;;) {
    HANDLE handle = CreateFileW(wide, rights, share, NULL, make, flags, NULL);
    lbp_file_info info;
    int is_link, as_file;
    if (handle == INVALID_HANDLE_VALUE) {
      if (lbp_p_try_again(&tries)) continue;
      lbp_p_windows_error();
      return handle;
    }
    if (how & LBP_FILE_FOLLOW || lbp_p_handle_info(handle, &info, &is_link, &as_file) != 0) return handle;
    if (!as_file || !(flags & FILE_FLAG_OPEN_REPARSE_POINT)) return handle;
    CloseHandle(handle);
    flags = FILE_FLAG_BACKUP_SEMANTICS;
  }
}

LBP_FN int lbp_file_open(const char *path, unsigned how) {
  const int writes = (how & (LBP_FILE_WRITE | LBP_FILE_FLUSH)) != 0;
  const int flags = _O_BINARY | _O_NOINHERIT | ((how & LBP_FILE_APPEND) == LBP_FILE_APPEND ? _O_APPEND : 0) |
                    (writes ? how & LBP_FILE_READ ? _O_RDWR : _O_WRONLY : _O_RDONLY);
  const DWORD rights = (writes ? GENERIC_WRITE : 0) | (how & LBP_FILE_READ ? GENERIC_READ : 0);
  HANDLE handle = lbp_p_handle_open(path, how, rights);
  lbp_file_info info;
  int file, is_link, as_file;
  if (handle == INVALID_HANDLE_VALUE) return -1;
  if (lbp_p_handle_info(handle, &info, &is_link, &as_file) == 0 && is_link) {
    CloseHandle(handle);
    errno = ELOOP;
    return -1;
  }
  file = _open_osfhandle((intptr_t)handle, flags);
  if (file < 0) CloseHandle(handle);
  return file;
}

LBP_FN int lbp_file_close(int file) { return _close(file); }

LBP_FN HANDLE lbp_p_handle_of(int file) { return (HANDLE)_get_osfhandle(file); }

LBP_FN int lbp_file_describe(int file, lbp_file_info *info) {
  int is_link, as_file;
  return lbp_p_handle_info(lbp_p_handle_of(file), info, &is_link, &as_file);
}

LBP_FN int lbp_file_look(const char *path, unsigned how, lbp_file_info *info) {
  HANDLE handle = lbp_p_handle_open(path, how & LBP_FILE_FOLLOW, FILE_READ_ATTRIBUTES);
  int is_link, as_file, status;
  if (handle == INVALID_HANDLE_VALUE) return -1;
  status = lbp_p_handle_info(handle, info, &is_link, &as_file);
  CloseHandle(handle);
  return status;
}

/* So many bytes as one call reads or writes. */
LBP_FN unsigned lbp_p_part(size_t bytes) { return bytes < 1u << 30 ? (unsigned)bytes : 1u << 30; }

LBP_FN int64_t lbp_file_read(int file, void *data, size_t bytes) {
  return _read(file, data, lbp_p_part(bytes));
}

LBP_FN int lbp_file_write(int file, const void *data, size_t bytes) {
  const char *at = (const char *)data;
  while (bytes > 0) {
    const int part = _write(file, at, lbp_p_part(bytes));
    if (part <= 0) return 0;
    at += part;
    bytes -= (size_t)part;
  }
  return 1;
}

LBP_FN int lbp_file_seek(int file, uint64_t at) { return _lseeki64(file, (int64_t)at, SEEK_SET) < 0 ? -1 : 0; }

LBP_FN int lbp_file_cut(int file, uint64_t bytes) {
  LARGE_INTEGER end;
  end.QuadPart = (LONGLONG)bytes;
  if (!SetFilePointerEx(lbp_p_handle_of(file), end, NULL, FILE_BEGIN)) return lbp_p_windows_error();
  return SetEndOfFile(lbp_p_handle_of(file)) ? 0 : lbp_p_windows_error();
}

LBP_FN int lbp_file_flush(int file) { return _commit(file); }

LBP_FN void lbp_file_flush_folder(const char *path) { (void)path; } /* lbp_file_replace has done it */

LBP_FN int lbp_file_remove(const char *path) {
  wchar_t wide[LBP_P_WIDE];
  int tries = 0;
  if (!lbp_p_wide(path, wide)) return -1;
  while (!DeleteFileW(wide)) {
    if (!lbp_p_try_again(&tries)) return lbp_p_windows_error();
  }
  return 0;
}

LBP_FN int lbp_file_replace(const char *fresh, const char *path) {
  wchar_t from[LBP_P_WIDE], to[LBP_P_WIDE];
  int tries = 0;
  if (!lbp_p_wide(fresh, from) || !lbp_p_wide(path, to)) return -1;
  while (!MoveFileExW(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)) {
    if (!lbp_p_try_again(&tries)) return lbp_p_windows_error();
  }
  return 0;
}

/* One byte far behind the end: others may not read what is locked, and the file's text is for them. */
LBP_FN void lbp_p_lock_place(OVERLAPPED *place) {
  memset(place, 0, sizeof *place);
  place->OffsetHigh = 0x40000000;
}

LBP_FN int lbp_file_lock(int file) {
  const DWORD how = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
  OVERLAPPED place;
  lbp_p_lock_place(&place);
  if (LockFileEx(lbp_p_handle_of(file), how, 0, 1, 0, &place)) return 0;
  return GetLastError() == ERROR_LOCK_VIOLATION || GetLastError() == ERROR_IO_PENDING;
}

LBP_FN void lbp_file_unlock(int file) {
  OVERLAPPED place;
  lbp_p_lock_place(&place);
  (void)UnlockFileEx(lbp_p_handle_of(file), 0, 1, 0, &place);
}

typedef struct {
  HANDLE thread;
  CRITICAL_SECTION mutex;
  int running;
  void (*work)(void *data);
  void *data;
} lbp_thread;

LBP_FN void lbp_thread_init(lbp_thread *t) {
  t->running = 0;
  InitializeCriticalSection(&t->mutex);
}

LBP_FN void lbp_thread_lock(lbp_thread *t) { EnterCriticalSection(&t->mutex); }
LBP_FN void lbp_thread_unlock(lbp_thread *t) { LeaveCriticalSection(&t->mutex); }

LBP_FN unsigned __stdcall lbp_p_thread_work(void *data) {
  lbp_thread *t = (lbp_thread *)data;
  t->work(t->data);
  return 0;
}

LBP_FN int lbp_thread_begin(lbp_thread *t, void (*work)(void *data), void *data) {
  t->work = work;
  t->data = data;
  t->thread = (HANDLE)_beginthreadex(NULL, 0, lbp_p_thread_work, t, 0, NULL);
  t->running = t->thread != NULL;
  return !t->running;
}

LBP_FN int lbp_thread_await(lbp_thread *t, double seconds) {
  const DWORD moments = seconds < 4e6 ? (DWORD)(seconds * 1000) : 4000000000u;
  return !t->running || WaitForSingleObject(t->thread, moments) == WAIT_OBJECT_0;
}

LBP_FN void lbp_thread_end(lbp_thread *t) {
  if (t->running) {
    WaitForSingleObject(t->thread, INFINITE);
    CloseHandle(t->thread);
  }
  t->running = 0;
}

LBP_FN void lbp_thread_free(lbp_thread *t) { DeleteCriticalSection(&t->mutex); }

#endif /* LBP_P_WINDOWS */

#endif /* LBP_P_NO_PLATFORM */

#endif /* LBP_PLATFORM_H */
