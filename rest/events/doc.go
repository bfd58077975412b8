// Package events records events, which tell people what a program did to an object or observed about it. kubectl
// describe and kubectl events show them.
//
//	client, err := rest.ClientForType[builtin.CoreEvent](api)
//	…
//	recorder := events.New(events.Options{Client: client, KindOf: api.KindOf, Controller: "example.com/sizes"})
//	go recorder.Run(ctx)
//	recorder.Normal(widget, "Resized", "Resize", "The size is now %d", widget.Spec.Size)
//
// The API must serve the events of package builtin. The methods of a [Recorder] never block and return no errors. The
// recorder drops events that it cannot write, and counts them.
//
// Two events with the same object, type, reason and action count as repetitions of one event, even if their notes
// differ. The first repetition within 6 minutes turns the event into a series. The recorder counts further repetitions
// in memory. It writes the count every 30 minutes, and when the series ends, 6 minutes after the last repetition.
// client-go's recorder uses the same intervals. For each object and type, the recorder accepts a burst of 25 events,
// and then one event every 5 minutes. It drops all others.
package events
