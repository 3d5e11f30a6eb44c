package redistest

import (
	"os"
	"path/filepath"
	"testing"
)

// Crash ends the server as SIGKILL does. What it held is lost, but for what Save gave.
func (s *Server) Crash(t testing.TB) {
	t.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatalf("kill redis-server: %v", err)
	}
	_ = s.cmd.Wait()
	s.cmd = nil
}

// Restart starts a crashed server again, empty, on the same socket.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.RestartFrom(t, nil)
}

// Save is the server's file as it is now, with all that it holds.
func (s *Server) Save(t testing.TB) []byte {
	t.Helper()
	if err := s.Client(t).Save(t.Context()).Err(); err != nil {
		t.Fatalf("save the file of redis-server: %v", err)
	}
	file, err := os.ReadFile(s.dump())
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// RestartFrom starts a crashed server again with a file that Save gave, which may be
// an old one; nil: none.
func (s *Server) RestartFrom(t testing.TB, file []byte) {
	t.Helper()
	_ = os.Remove(s.dump())
	if file != nil {
		if err := os.WriteFile(s.dump(), file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	shared.keeper.do(func() { err = s.launch() })
	if err != nil {
		t.Fatalf("restart redis-server: %v", err)
	}
}

func (s *Server) dump() string { return filepath.Join(s.dir, "dump.rdb") }

// Detach cuts the replicas of this master off, and lets none of them in again: from now
// on they lag. Clients of the master notice nothing.
func (s *Server) Detach(t testing.TB) {
	t.Helper()
	c := s.Client(t)
	for _, command := range [][]any{
		{"ACL", "SETUSER", "default", "-psync", "-sync"},
		{"CLIENT", "KILL", "TYPE", "replica"},
	} {
		if err := c.Do(t.Context(), command...).Err(); err != nil {
			t.Fatalf("%v: %v", command, err)
		}
	}
}
