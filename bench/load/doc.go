// Package load generates the traffic of the benchmarks: a fleet of event streams read by a few
// epoll loops, and page clients over keep-alive connections. It must cost little, because it
// shares the processors with the servers that it measures. Streams need Linux.
package load
