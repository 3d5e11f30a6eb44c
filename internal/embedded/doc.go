// Package embedded is the built-in Redis of a single machine: a redis-server
// (or valkey-server) from PATH as a child of this process, with its
// append-only file in the data directory; or, where neither is installed, an
// in-memory stand-in that forgets everything when the process ends.
//
// One server owns a data directory at a time. Commands that run beside it find
// its Redis by URL(dir).
package embedded
