// Starts a program and says when it said what.
//
//   watch PROGRAM ARGUMENTS…
//
// What the program writes is passed on. At its end file descriptor 3 gets two numbers: nanoseconds from before its start to
// its first output, and to the line `agent_start` of JSON mode; 0 for what did not come. A launcher that is small takes a
// few dozen microseconds to start a program; one with the memory of a whole runtime takes longer than tau does.

#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static const char AGENT[] = "{\"type\":\"agent_start\"";

static long long now(void) {
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void die(const char *what) {
	perror(what);
	exit(1);
}

int main(int count, char **words) {
	int ends[2];
	if (count < 2 || pipe(ends)) die("watch");
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	posix_spawn_file_actions_addclose(&actions, ends[0]);
	posix_spawn_file_actions_addclose(&actions, ends[1]);
	posix_spawn_file_actions_addclose(&actions, 3);
	static char buffer[sizeof AGENT + (1 << 16)];
	size_t kept = 0;
	long long first = 0, agent = 0;
	pid_t child;
	long long begun = now();
	if (posix_spawn(&child, words[1], &actions, 0, words + 1, environ)) die(words[1]);
	close(ends[1]);
	for (;;) {
		ssize_t got = read(ends[0], buffer + kept, 1 << 16);
		if (got <= 0) break;
		long long at = now() - begun;
		if (!first) first = at;
		size_t length = kept + got;
		if (!agent && memmem(buffer, length, AGENT, sizeof AGENT - 1)) agent = at;
		if (write(1, buffer + kept, got) != got) die("write");
		// What was cut in two is put together.
		kept = length < sizeof AGENT - 1 ? length : sizeof AGENT - 1;
		memmove(buffer, buffer + length - kept, kept);
	}
	int status;
	waitpid(child, &status, 0);
	dprintf(3, "%lld %lld\n", first, agent);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
