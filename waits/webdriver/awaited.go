package webdriver

import "sync"

// awaited are the answers that somebody waits for, by the ids of what they answer.
type awaited[T any] struct {
	mu  sync.Mutex
	all map[uint64]chan T
}

// await returns where the answer to an id will come.
func (a *awaited[T]) await(id uint64) <-chan T {
	answered := make(chan T, 1)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.all == nil {
		a.all = map[uint64]chan T{}
	}
	a.all[id] = answered
	return answered
}

// answer hands an answer to who waits for it; it is false where nobody does.
func (a *awaited[T]) answer(id uint64, with T) bool {
	a.mu.Lock()
	answered := a.all[id]
	delete(a.all, id)
	a.mu.Unlock()
	if answered == nil {
		return false
	}
	answered <- with
	return true
}
