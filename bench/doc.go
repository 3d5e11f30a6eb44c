// Command bench measures what Carillon promises about speed and prints it as
// a Markdown table, each figure beside what this machine can do at best:
// streams beside a plain net/http server and beside r3labs/sse used lean,
// scripts beside redis-benchmark with the very same script, pages beside
// net/http with a fixed page. All of it runs side by side in one run, on
// loopback, against a real redis-server and a real `carillon serve`.
//
//	go run ./bench                     everything, three repetitions
//	go run ./bench --lines 1,2,8       some lines
//	go run ./bench --quick             smaller, one repetition: does it run?
//
// It runs in the root of the repository, needs Linux and redis-server with
// redis-benchmark, and raises its limit on open files itself.
package main
