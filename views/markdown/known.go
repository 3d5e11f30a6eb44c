package markdown

import "sync"

// mostKnown is how many texts are remembered: more than any installation has open.
const mostKnown = 512

// known remembers what was made of texts. An announcement is read by very many,
// a list of them shows thirty, and reading one takes longer than all else that a
// page of it needs. When it is full it begins anew.
type known struct {
	mu   sync.RWMutex
	made map[string]string
}

func (k *known) of(body string, convert func(body string) (string, error)) (string, error) {
	k.mu.RLock()
	found, ok := k.made[body]
	k.mu.RUnlock()
	if ok {
		return found, nil
	}
	found, err := convert(body)
	if err != nil {
		return "", err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.made == nil || len(k.made) >= mostKnown {
		k.made = map[string]string{}
	}
	k.made[body] = found
	return found, nil
}
