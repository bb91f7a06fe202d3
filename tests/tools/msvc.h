/* Part of windows.sh: MinGW's headers for clang in Microsoft's dialect, which they take for the compiler itself: without
 * attributes behind declarations, and with addresses of arguments on the stack of 32-bit programs. */
#include <_mingw.h>
#undef __attribute__
#undef __MINGW_ATTRIB_DEPRECATED
#undef __MINGW_ATTRIB_NORETURN
#undef __MINGW_NOTHROW
#define __MINGW_ATTRIB_DEPRECATED
#define __MINGW_ATTRIB_NORETURN
#define __MINGW_NOTHROW
#include <vadefs.h>
#undef _crt_va_start
#undef _crt_va_arg
#define _crt_va_start(list, last) __builtin_va_start(list, last)
#define _crt_va_arg(list, type)   __builtin_va_arg(list, type)
