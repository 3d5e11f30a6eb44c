// Command bench measures Carillon's promises about speed and prints a Markdown table. Each figure stands next to a
// bound, the best that this machine can do: for streams a plain net/http server and a lean use of r3labs/sse, for
// scripts redis-benchmark with the same script, for pages net/http with a fixed page. Both are measured in the same
// run, on loopback, with a real redis-server and a real `carillon serve`.
//
//	go run ./bench                     everything, three repetitions
//	go run ./bench --lines 1,2,8       some lines
//	go run ./bench --growth all        how cost grows with what is stored and connected
//	go run ./bench --quick             a small run, to see that it works
//
// Run it in the root of the repository. It needs Linux and redis-server with redis-benchmark, and raises its limit on
// open files itself.
package main
