package queue

// ID tells a key from others.
func (k *Key) ID() string { return k.id }
