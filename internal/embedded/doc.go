// Package embedded contains the built-in Redis of a single machine: a redis-server or valkey-server from
// PATH that runs as a child of this process, with its append-only file in the data directory. If
// neither is installed, it is an in-memory substitute whose data is lost when the process ends.
//
// Only one server at a time owns a data directory. Commands that run at the same time find its Redis with
// URL(dir).
package embedded
