package redistest

import (
	"os"
	"path/filepath"
	"testing"
)

// Crash ends the server with SIGKILL. Its data is lost, except for a file from Save.
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

// Save returns a dump of all the server's data.
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

// RestartFrom starts a crashed server again with a file from Save, which may be old, or empty if
// file is nil.
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

// Detach disconnects the replicas of this master and rejects them from now on, so that they lag.
// Clients of the master are not affected.
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
