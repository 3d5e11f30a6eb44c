package turns

import "testing"

func TestTheTurnOfWhoStopsWaitingGoesToTheNext(t *testing.T) {
	t.Parallel()
	var q Queue[int]
	var all [3]*waiter[int]
	for i := range all {
		all[i] = &waiter[int]{turn: make(chan bool, 1)}
		q.join(all[i])
	}
	q.take(1) // the first is at his call
	q.pass()
	q.leave(all[1])
	select {
	case mine := <-all[2].turn:
		if !mine {
			t.Error("he is told that the call was made for him")
		}
	default:
		t.Error("nobody has the turn")
	}
}
