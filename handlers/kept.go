package handlers

import (
	"container/list"
	"sync"
	"time"
)

// keptBytes bounds the cached pages, in bytes; that is some thousand pages.
const keptBytes = 32 << 20

// keptPage is the first page of an inbox with nothing unread, as it was sent.
type keptPage struct {
	seq    int64
	tag    pageTag
	until  time.Time // when the first of its entries expires
	body   []byte
	zipped []byte // nil until a browser that accepts gzip asks for it
}

// keptPages caches the last page of each recent user. A page is valid as long as its tag is: the
// tag covers the version of the inbox and everything else that the page depends on.
type keptPages struct {
	mu     sync.Mutex
	bySeq  map[int64]*list.Element
	recent *list.List // most recent first
	bytes  int
	most   int // bytes
}

func newKeptPages(most int) *keptPages {
	return &keptPages{bySeq: map[int64]*list.Element{}, recent: list.New(), most: most}
}

func (k *keptPages) get(seq int64) (keptPage, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	e, ok := k.bySeq[seq]
	if !ok {
		return keptPage{}, false
	}
	k.recent.MoveToFront(e)
	return pageIn(e), true
}

// put replaces the user's cached page. The oldest pages are dropped to make room.
func (k *keptPages) put(p keptPage) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e, ok := k.bySeq[p.seq]; ok {
		k.drop(e)
	}
	k.bySeq[p.seq] = k.recent.PushFront(p)
	k.bytes += len(p.body) + len(p.zipped)
	for k.bytes > k.most {
		k.drop(k.recent.Back())
	}
}

func (k *keptPages) drop(e *list.Element) {
	p := pageIn(e)
	k.recent.Remove(e)
	delete(k.bySeq, p.seq)
	k.bytes -= len(p.body) + len(p.zipped)
}

func pageIn(e *list.Element) keptPage {
	p, _ := e.Value.(keptPage)
	return p
}
