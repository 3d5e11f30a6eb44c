// Package load is the traffic of the benchmarks: a fleet of event streams read
// by a few epoll loops, and page clients over keep-alive connections. It is
// built to cost little, because it shares the processors with what it
// measures. Streams need Linux.
package load
