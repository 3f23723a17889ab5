// Starts a program and says when it said what.
//
//   watch TEXT PROGRAM ARGUMENTS…
//
// What the program writes is passed on. At its end file descriptor 3 gets four numbers: nanoseconds from before its start to
// its first output, and to the output that has TEXT in it (0 for what did not come), microseconds of processor time that it
// and the children it waited for took, and the most memory it had at once, in bytes. A launcher that is small takes a few
// dozen microseconds to start a program; one with the memory of a whole runtime takes longer than tau does.

#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static long long now(void) {
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static long long microseconds(struct timeval time) {
	return time.tv_sec * 1000000LL + time.tv_usec;
}

static void die(const char *what) {
	perror(what);
	exit(1);
}

int main(int count, char **words) {
	int ends[2];
	if (count < 3 || pipe(ends)) die("watch");
	const char *text = words[1];
	// What was cut in two is put together: so much is kept.
	size_t most = strlen(text) - 1, kept = 0;
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	posix_spawn_file_actions_addclose(&actions, ends[0]);
	posix_spawn_file_actions_addclose(&actions, ends[1]);
	posix_spawn_file_actions_addclose(&actions, 3);
	char *buffer = malloc(most + (1 << 16));
	if (!buffer) die("watch");
	long long first = 0, seen = 0;
	pid_t child;
	long long begun = now();
	if (posix_spawn(&child, words[2], &actions, 0, words + 2, environ)) die(words[2]);
	close(ends[1]);
	for (;;) {
		ssize_t got = read(ends[0], buffer + kept, 1 << 16);
		if (got <= 0) break;
		long long at = now() - begun;
		if (!first) first = at;
		size_t length = kept + got;
		if (!seen && memmem(buffer, length, text, most + 1)) seen = at;
		if (write(1, buffer + kept, got) != got) die("write");
		kept = length < most ? length : most;
		memmove(buffer, buffer + length - kept, kept);
	}
	int status;
	struct rusage usage;
	if (wait4(child, &status, 0, &usage) < 0) die("wait4");
	dprintf(3, "%lld %lld %lld %lld\n", first, seen, microseconds(usage.ru_utime) + microseconds(usage.ru_stime),
	        (long long)usage.ru_maxrss * 1024);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
