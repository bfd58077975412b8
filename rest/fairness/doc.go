// Package fairness shares the capacity of an API among its users, so that one of them cannot keep out the others:
//
//	limiter, err := fairness.New(fairness.Options{})
//	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{limiter}}, widgets)
//
// It works like API Priority and Fairness in kube-apiserver, and replaces [rest.Limits.MaxInFlight].
//
// # Seats, levels, flows
//
// A request needs seats while the API works on it: most requests one, a list one for each 100 objects of its resource
// and namespace, at most ten. A watch needs as many as a list while it sends the existing objects, and none after that.
// Streams and health checks need none.
//
// A [Level] is a kind of requests with a part of the seats. A request that finds no seat waits in a queue of its level.
// A [Flow] assigns requests to a level and says which of them belong together, such as those of one user. The level
// gives the next free seats to the queue that has used the least, in seats times seconds, while it had something to do.
// A queue that was idle does not save up what it did not use. So a user with few requests waits for the end of one
// request, however long the queues of the others are.
//
// The requests of a flow wait in a few queues of its level, which a hash of its name chooses (shuffle sharding). The
// hash is secret, and differs in each process.
//
// Levels can lend seats ([Level].LendablePercent, [Level].BorrowingPercent). A level takes back what it has lent at
// once, so for the length of a request more seats may be in use than there are.
//
// # Objects
//
// With [Options.Objects], the FlowSchemas and PriorityLevelConfigurations of the API configure the Limiter (see package
// flowcontrol). The seats of a level are its part of [Options.Seats], in proportion to its nominalConcurrencyShares. A
// change takes nothing from requests that have seats or wait. A level whose object is gone works off its requests
// first. A FlowSchema without a level matches nothing, and its condition Dangling says so.
//
// kube-apiserver computes every ten seconds how many seats of others a level may use. Here a level uses those that are
// free at the moment, within the bounds of lendablePercent and borrowingLimitPercent.
//
// # What gives seats back
//
// A request has no seats while its body is read, and while it waits for a webhook. After its body it waits in its queue
// again. After a webhook it goes on at once, even if no seat is free: the limit on requests that wait for webhooks
// bounds how many do ([rest.API.WaitOutside]).
//
// A request with a large answer, and a watch that sends the existing objects, have their seats while the API encodes,
// compresses and sends. While the client lets a piece of the answer wait for more than 5 ms, they have no seats. If the
// API has to encode or to compress more of the answer after that, the request waits in its queue again. It is not refused
// then, because its answer has begun. An answer that is only copied, such as an object or a list in compact JSON, goes on
// without seats.
//
// # Refusals
//
// A request gets 429 TooManyRequests with Retry-After if its queue is full, or if it has waited for [Options].MaxWait.
// Both are the answers of kube-apiserver. Nothing has happened then, so the client may send the request again.
package fairness
