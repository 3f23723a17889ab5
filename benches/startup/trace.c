// Says which functions of a program run, in the order in which each is first called.
//
//   trace SYMBOLS OUT PROGRAM ARGUMENTS…
//
// SYMBOLS has a line for each function: its address in the file, in hexadecimal, and its name. A breakpoint is put at
// each; the first thread that meets one notes the name and takes it away. Linux on x86-64 only.

#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BREAKPOINT = 0xcc };

struct function {
	unsigned long address;
	char *name;
	int called;
};

static struct function *functions;
static size_t count;

static void die(const char *what) {
	perror(what);
	exit(1);
}

static int by_address(const void *left, const void *right) {
	unsigned long a = ((const struct function *)left)->address, b = ((const struct function *)right)->address;
	return a < b ? -1 : a > b;
}

static void read_symbols(const char *path) {
	FILE *file = fopen(path, "r");
	if (!file) die(path);
	unsigned long address;
	char *name;
	while (fscanf(file, "%lx %ms", &address, &name) == 2) {
		functions = realloc(functions, (count + 1) * sizeof *functions);
		if (!functions) die("memory");
		functions[count++] = (struct function){ address, name, 0 };
	}
	fclose(file);
	if (count == 0) exit(1);
	qsort(functions, count, sizeof *functions, by_address);
}

// How far from its addresses in the file the program is: nothing for one that is linked to a fixed address.
static unsigned long shift_of(pid_t pid, const char *program) {
	char path[64], head[18];
	int file = open(program, O_RDONLY);
	if (file < 0 || read(file, head, sizeof head) != sizeof head) die(program);
	close(file);
	if (head[16] == 2) return 0;
	snprintf(path, sizeof path, "/proc/%d/maps", pid);
	FILE *maps = fopen(path, "r");
	unsigned long start;
	if (!maps || fscanf(maps, "%lx", &start) != 1) die(path);
	fclose(maps);
	return start;
}

int main(int argc, char **argv) {
	if (argc < 4) return 2;
	read_symbols(argv[1]);
	FILE *out = fopen(argv[2], "w");
	if (!out) die(argv[2]);
	pid_t first = fork();
	if (first == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[3], argv + 3);
		_exit(127);
	}
	int status;
	waitpid(first, &status, 0);

	unsigned long shift = shift_of(first, argv[3]), low = functions[0].address;
	size_t length = functions[count - 1].address - low + 1;
	unsigned char *code = malloc(length), *patched = malloc(length);
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/mem", first);
	int memory = open(path, O_RDWR);
	if (memory < 0 || pread(memory, code, length, shift + low) != (ssize_t)length) die(path);
	memcpy(patched, code, length);
	for (size_t i = 0; i < count; i++) patched[functions[i].address - low] = BREAKPOINT;
	if (pwrite(memory, patched, length, shift + low) != (ssize_t)length) die(path);
	long children = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK;
	ptrace(PTRACE_SETOPTIONS, first, 0, children | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL);
	ptrace(PTRACE_CONT, first, 0, 0);

	for (pid_t thread; (thread = waitpid(-1, &status, __WALL)) > 0;) {
		if (!WIFSTOPPED(status)) {
			if (thread == first) break;
			continue;
		}
		int signal = WSTOPSIG(status), event = status >> 16;
		if (event == PTRACE_EVENT_EXEC && thread != first) {
			// Another program, in which there are no breakpoints.
			ptrace(PTRACE_DETACH, thread, 0, 0);
			continue;
		}
		if (signal == SIGTRAP && event == 0) {
			struct user_regs_struct registers;
			ptrace(PTRACE_GETREGS, thread, 0, &registers);
			struct function key = { registers.rip - 1 - shift, NULL, 0 };
			struct function *met = bsearch(&key, functions, count, sizeof key, by_address);
			if (met) {
				while (met > functions && met[-1].address == key.address) met--;
				for (struct function *same = met; same < functions + count && same->address == key.address; same++) {
					if (!same->called) fprintf(out, "%s\n", same->name);
					same->called = 1;
				}
				// In the memory of the thread that met it: it may be one of a child that has a copy.
				snprintf(path, sizeof path, "/proc/%d/mem", thread);
				int own = open(path, O_RDWR);
				if (own < 0 || pwrite(own, code + (key.address - low), 1, shift + key.address) != 1) die(path);
				close(own);
				registers.rip--;
				ptrace(PTRACE_SETREGS, thread, 0, &registers);
				signal = 0;
			}
		}
		ptrace(PTRACE_CONT, thread, 0, event != 0 || signal == SIGSTOP ? 0 : signal);
	}
	return fclose(out) == 0 ? 0 : 1;
}
