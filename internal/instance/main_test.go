package instance

import (
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
)

func TestMain(m *testing.M) { redistest.Main(m) }
