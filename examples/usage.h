/* usage.h - whether a program that takes files is asked for help. */
#ifndef USAGE_H
#define USAGE_H

/* Whether one of the first `files` arguments is an option, as --help is, and no file, nor -: print the usage then. */
static int usage_is_asked(int argc, char **argv, int files) {
  int k;
  for (k = 1; k < argc && k <= files; k++) {
    if (argv[k][0] == '-' && argv[k][1] != '\0') return 1;
  }
  return 0;
}

#endif
