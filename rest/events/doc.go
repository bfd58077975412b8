// Package events records events: what a program did to the objects of an API, or noticed about them, for people to read in kubectl
// describe and kubectl events.
//
//	recorder := events.New(events.Options{Client: rest.ClientFor[builtin.CoreEvent](api), KindOf: api.KindOf, Controller: "example.com/sizes"})
//	go recorder.Run(ctx)
//	recorder.Normal(widget, "Resized", "Resize", "The size is now %d", widget.Spec.Size)
//
// The API must serve the events of package builtin. A [Recorder] never waits and never fails: events that it cannot write are dropped and
// counted.
//
// Events of the same object with the same type, reason and action are the same event, even if their notes differ. The first repetition
// within 6 minutes makes the event a series, which counts; further repetitions are counted in memory, and written every 30 minutes and
// when the series ends, 6 minutes after the last repetition. The intervals are those of client-go's recorder. An object may cause 25
// events at once, and then one every 5 minutes; further ones are dropped.
package events
