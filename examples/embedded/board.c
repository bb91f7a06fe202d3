/* The program on a Cortex-M4F without an operating system: startup code from reset to program(), and output of text
 * and the exit status by semihosting: requests to a debugger, or to QEMU. The board is ARM's MPS2 with FPGA image
 * AN386, as qemu-system-arm -M mps2-an386 has it; on another one, only the addresses in board.ld differ.
 *
 * Unused stack is painted, so that at the end the deepest it has ever been can be seen. */
#include "program.h"

/* by board.ld */
extern uint32_t data_load[], data_start[], data_end[], bss_start[], bss_end[], stack_bottom[], stack_top[];

/* Semihosting [ARM, "Semihosting for AArch32 and AArch64"]: the request's number and its argument. */
enum { SYS_WRITE0 = 4, SYS_EXIT = 0x18 };
#define STOPPED_WELL  0x20026u /* ADP_Stopped_ApplicationExit */
#define STOPPED_BADLY 0x20023u /* ADP_Stopped_RunTimeErrorUnknown */

static void request(uint32_t number, uint32_t argument) {
  register uint32_t r0 __asm__("r0") = number;
  register uint32_t r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

void say(const char *text) { request(SYS_WRITE0, (uint32_t)text); }

static void stop(int status) {
  for (;;) request(SYS_EXIT, status == 0 ? STOPPED_WELL : STOPPED_BADLY);
}

static void say_bytes(uint32_t bytes) {
  char text[11], *p = text + sizeof text - 1;
  for (*p = 0; bytes > 0; bytes /= 10) *--p = (char)('0' + bytes % 10);
  say(p);
}

#define PAINT 0xdeadbeefu

/* A separate function: it uses floating point, which reset() has yet to allow. */
static __attribute__((noinline)) void run(void) {
  const uint32_t *deepest = stack_bottom;
  const int status = program();
  while (deepest < stack_top && *deepest == PAINT) deepest++;
  say("stack used: ");
  say_bytes((uint32_t)(stack_top - deepest) * 4);
  say(" bytes\n");
  stop(deepest > stack_bottom ? status : 1);
}

void reset(void) {
  volatile uint32_t *const cpacr = (volatile uint32_t *)0xe000ed88u; /* coprocessor access control */
  const uint32_t *from = data_load;
  uint32_t *to, here;
  *cpacr |= 0xfu << 20; /* the floating-point unit, coprocessors 10 and 11 */
  __asm__ volatile("dsb\n\tisb" : : : "memory");
  for (to = data_start; to < data_end; to++) *to = *from++;
  for (to = bss_start; to < bss_end; to++) *to = 0;
  __asm__ volatile("mov %0, sp" : "=r"(here));
  for (to = stack_bottom; (uint32_t)to < here; to++) *to = PAINT;
  run();
}

static void fault(void) {
  say("the processor met a fault\n");
  stop(1);
}

/* The vector table: the first stack pointer, and the handlers of reset, NMI and the four faults. */
typedef union {
  uint32_t *stack;
  void (*handler)(void);
} vector;

__attribute__((section(".vectors"), used)) const vector vectors[] = {
  {stack_top}, {.handler = reset}, {.handler = fault}, {.handler = fault}, {.handler = fault}, {.handler = fault},
  {.handler = fault}};
