package markdown

import "sync"

// mostKnown is how many texts are cached, more than any installation has open.
const mostKnown = 512

// known caches converted texts. Very many users read the same announcement, a list shows thirty
// of them, and converting one is slower than everything else on its page. When the cache is
// full it starts over.
type known struct {
	mu   sync.RWMutex
	made map[string]string
}

func (k *known) of(key string, convert func() (string, error)) (string, error) {
	k.mu.RLock()
	found, ok := k.made[key]
	k.mu.RUnlock()
	if ok {
		return found, nil
	}
	found, err := convert()
	if err != nil {
		return "", err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.made == nil || len(k.made) >= mostKnown {
		k.made = map[string]string{}
	}
	k.made[key] = found
	return found, nil
}
