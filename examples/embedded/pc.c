/* The program on a PC. */
#include <stdio.h>

#include "program.h"

void say(const char *text) { fputs(text, stdout); }

int main(void) { return program(); }
