package github

import (
	"net/http"
	"sync"
)

// cache keeps answers with an ETag for the time of one client, so that asking
// again costs nothing of the rate limit when nothing changed. What it holds
// is handed out only after GitHub said that it still holds.
type cache struct {
	mu    sync.Mutex
	room  int64
	items map[string]answer
}

func newCache(room int64) *cache { return &cache{room: room, items: map[string]answer{}} }

func cacheKey(req *http.Request) string { return req.Header.Get("Accept") + " " + req.URL.String() }

// condition adds If-None-Match where an answer is known, and returns it.
func (g *guard) condition(req *http.Request) *answer {
	if req.Method != http.MethodGet {
		return nil
	}
	g.cache.mu.Lock()
	defer g.cache.mu.Unlock()
	a, ok := g.cache.items[cacheKey(req)]
	if !ok {
		return nil
	}
	req.Header.Set("If-None-Match", a.header.Get("ETag"))
	return &a
}

// remember keeps an answer while there is room. The newer one takes the place
// of the older; others are never pushed out, since a run is short.
func (g *guard) remember(req *http.Request, a answer) {
	if req.Method != http.MethodGet || a.status != http.StatusOK || a.header.Get("ETag") == "" {
		return
	}
	g.cache.mu.Lock()
	defer g.cache.mu.Unlock()
	key := cacheKey(req)
	room := g.cache.room + int64(len(g.cache.items[key].body))
	if int64(len(a.body)) > room {
		return
	}
	g.cache.items[key], g.cache.room = a, room-int64(len(a.body))
}
