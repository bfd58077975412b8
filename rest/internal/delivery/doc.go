// Package delivery brings answers to clients that may be slow, or never read: it paces a watch, lets an answer keep no more alive
// than it may, and hurries what is under way when the API ends. It knows no HTTP. Package rest opens the answer, as a body or as a
// WebSocket, and gives it to this package as an [Output].
//
//	Watch    what a client asks to follow, and its delivery until it ends
//	Held     what an answer keeps alive while it is written
//	Ending   the end of the API
package delivery
