// Package archtest holds, as tests, the rules about the whole tree that a
// compiler does not know: who may import whom, and that each Lua script is
// what its header says.
package archtest
