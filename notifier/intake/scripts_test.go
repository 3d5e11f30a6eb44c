package intake_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/carillonhq/carillon/internal/script"
)

func TestEachScriptsHeaderTellsTheTruth(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.lua")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d scripts, %v", len(files), err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := script.CheckHeader(string(src)); err != nil {
			t.Errorf("%s:\n%v", file, err)
		}
	}
}
