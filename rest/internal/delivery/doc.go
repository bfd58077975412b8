// Package delivery sends answers to clients that may be slow or may never read. It paces a watch, limits the memory
// that an answer keeps alive, and cuts answers short when the API ends. It knows nothing of HTTP. Package front
// opens the answer, as a body or as a WebSocket, and gives it to this package as an [Output].
//
//	Watch    what a client asks to follow, and its delivery until it ends
//	Held     the memory that an answer keeps alive while it is written
//	Ending   the end of the API
//	Flights  the requests and calls under way, with their places and seats
//
// A request takes and releases the seats of an access.Limiter together with its place (places.go), so code that
// gives back a place also gives back the seats. A large answer, and the first objects of a watch, give them back only
// while the client lets a piece wait ([Held.Waits]). Code that encodes or compresses more of the answer calls Resume
// first, which waits for the seats (paced.go of room media).
package delivery
