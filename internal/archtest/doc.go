// Package archtest tests rules about the whole tree that the compiler does not check: which
// packages may import which, that each Lua script matches its header, and that the tables in
// docs/ and CONTRIBUTING.md match the code.
package archtest
