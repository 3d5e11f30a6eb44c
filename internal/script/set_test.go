package script_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// dir returns a directory of .lua files.
func dir(sources map[string]string) fstest.MapFS {
	files := fstest.MapFS{}
	for name, src := range sources {
		files[name+".lua"] = &fstest.MapFile{Data: []byte(src)}
	}
	return files
}

// nested has a script that uses double by way of quadruple and itself, and one that uses nothing.
func nested(test string) map[string]string {
	return map[string]string{
		"double":        "-- double.lua: double n.\n--\n-- shared\n--\n-- Returns it.\nlocal function double(n) return 2 * n end",
		"quadruple":     "-- quadruple.lua: double n twice.\n--\n-- shared\n-- uses: double\n--\n-- Returns it.\nlocal function quadruple(n) return double(double(n)) end",
		"multiply":      "-- multiply.lua: multiply. " + test + "\n--\n-- uses: quadruple, double\n--\n-- Returns it.\nreturn quadruple(double(tonumber(ARGV[1])))",
		"return_number": "-- return_number.lua: one. " + test + "\n--\n-- Returns it.\nreturn tonumber(ARGV[1])\n-- uses: is a comment below the header",
	}
}

func TestAScriptIsPrecededByTheFunctionsThatItUses(t *testing.T) {
	t.Parallel()
	rdb, set := redistest.Client(t), script.Must(script.Read(dir(nested(t.Name()))))
	for name, want := range map[string]int64{"multiply": 40, "return_number": 5} {
		got, err := set.Get(name).Run(t.Context(), rdb, nil, 5).Int64()
		if err != nil || got != want {
			t.Errorf("%s: %d, %v; want %d", name, got, err, want)
		}
	}
}

func TestASetLoadsItsScriptsAndNoSharedFunction(t *testing.T) {
	t.Parallel()
	rdb := redistest.Own(t).Client(t)
	sources := nested(t.Name())
	set := script.Must(script.Read(dir(sources)))
	if err := set.Load(t.Context(), rdb); err != nil {
		t.Fatal(err)
	}
	join := strings.Join([]string{sources["double"], sources["quadruple"], sources["multiply"]}, "\n")
	hashes := []string{redis.NewScript(join).Hash(), redis.NewScript(sources["return_number"]).Hash(), redis.NewScript(sources["double"]).Hash()}
	if got, err := rdb.ScriptExists(t.Context(), hashes...).Result(); err != nil || !slices.Equal(got, []bool{true, true, false}) {
		t.Errorf("loaded: %v, %v", got, err)
	}
}

func TestAHeaderThatNamesNoSharedFunctionIsRefused(t *testing.T) {
	t.Parallel()
	shared := func(uses string) string { return "--\n-- shared\n-- uses: " + uses + "\n--\nreturn 1" }
	for name, c := range map[string]struct {
		sources map[string]string
		says    string
	}{
		"an unknown file":           {map[string]string{"a": "-- uses: b\nreturn 1"}, `a.lua uses "b"`},
		"a script":                  {map[string]string{"a": "-- uses: b\nreturn 1", "b": "return 1"}, `a.lua uses "b"`},
		"itself":                    {map[string]string{"a": shared("a")}, "a.lua uses itself"},
		"itself by way of another":  {map[string]string{"a": shared("b"), "b": shared("a")}, "a.lua uses itself by way of a, b"},
		"a circle below the script": {map[string]string{"c": "-- uses: b\nreturn 1", "b": shared("d"), "d": shared("b")}, "uses itself"},
	} {
		if _, err := script.Read(dir(c.sources)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an error that says %q", name, err, c.says)
		}
	}
}

func TestAnUnknownScriptPanics(t *testing.T) {
	t.Parallel()
	set := script.Must(script.Read(dir(map[string]string{"a": "--\n-- shared\nreturn 1"})))
	for name, call := range map[string]func(){
		"a shared function": func() { set.Get("a") },
		"no file":           func() { set.Get("b") },
		"a faulty set":      func() { script.Must(script.Read(dir(map[string]string{"a": "-- uses: b"}))) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}

func TestAReplyIsANumberOrAListThatStartsWithOne(t *testing.T) {
	t.Parallel()
	rdb := redistest.Client(t)
	reply := func(src string) (script.Reply, error) {
		return script.ParseReply(script.New("reply", src).Run(t.Context(), rdb, nil))
	}
	for src, want := range map[string]int64{"return 3": 3, "return -2": -2, "return {0}": 0, "return {-1, 'x'}": -1} {
		if got, err := reply(src); err != nil || got.Code != want {
			t.Errorf("%s: %+v, %v; want %d", src, got, err, want)
		}
	}
	r, err := reply("return {1, 2, 'two', {3}}")
	if err != nil || r.Number(0) != 2 || r.Text(1) != "two" || len(r.List(2)) != 1 {
		t.Errorf("a list: %+v, %v", r, err)
	}
	if r.Number(1) != 0 || r.Text(0) != "" || r.List(0) != nil || r.Number(3) != 0 {
		t.Errorf("elements of another kind, or missing, have a value: %+v", r)
	}
	for _, src := range []string{"return 'x'", "return {}", "return {'x', 1}"} {
		if got, err := reply(src); !errors.Is(err, script.ErrReply) {
			t.Errorf("%s: %+v, %v; want ErrReply", src, got, err)
		}
	}
	if _, err := reply("return redis.error_reply('NOPE it refuses')"); err == nil || errors.Is(err, notifier.ErrUnavailable) {
		t.Errorf("a refusal: %v", err)
	}
	if _, err := reply("return redis.error_reply('LOADING Redis is loading')"); !errors.Is(err, notifier.ErrUnavailable) {
		t.Errorf("a Redis that is loading: %v, want ErrUnavailable", err)
	}
}
