package turns

import "testing"

func TestTheTurnOfALeavingWaiterPassesToTheNext(t *testing.T) {
	t.Parallel()
	var q Queue[int]
	var all [3]*waiter[int]
	for i := range all {
		all[i] = &waiter[int]{turn: make(chan bool, 1)}
		q.join(all[i])
	}
	q.take(1) // the first one makes its call
	q.pass()
	q.leave(all[1])
	select {
	case mine := <-all[2].turn:
		if !mine {
			t.Error("the waiter was told that another has served it")
		}
	default:
		t.Error("no waiter has the turn")
	}
}
