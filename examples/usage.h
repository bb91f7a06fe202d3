/* usage.h - whether a program that takes files is asked for help. */
#ifndef USAGE_H
#define USAGE_H

/* Whether the first argument is an option, as --help is, and no file, nor -: print the usage then. */
static int usage_is_asked(int argc, char **argv) { return argc > 1 && argv[1][0] == '-' && argv[1][1] != '\0'; }

#endif
