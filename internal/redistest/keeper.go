package redistest

import "runtime"

// keeper is a goroutine with its own thread that starts servers for tests: a server ends with the thread
// that started it, and the thread of a test may end at any time. Main owns the keeper and waits for its
// end.
type keeper struct {
	work chan func()
	done chan struct{}
}

func newKeeper() *keeper {
	k := &keeper{work: make(chan func()), done: make(chan struct{})}
	go k.keep()
	return k
}

func (k *keeper) keep() {
	defer close(k.done)
	runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
	for f := range k.work {
		f()
	}
}

// do runs f on the keeper's thread and waits for it.
func (k *keeper) do(f func()) {
	finished := make(chan struct{})
	k.work <- func() { defer close(finished); f() }
	<-finished
}

func (k *keeper) stop() {
	close(k.work)
	<-k.done
}
