package archtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/script"
)

func TestEveryScriptIsWhatItsHeaderSays(t *testing.T) {
	t.Parallel()
	for _, name := range files(t, ".lua") {
		text, err := os.ReadFile(filepath.Join(root(t), name))
		if err != nil {
			t.Fatal(err)
		}
		if err = script.CheckHeader(string(text)); err != nil {
			t.Errorf("%s:\n%v", name, err)
		}
		if first, _, _ := strings.Cut(string(text), ":"); first != "-- "+filepath.Base(name) {
			t.Errorf("%s calls itself %q", name, strings.TrimPrefix(first, "-- "))
		}
	}
}
