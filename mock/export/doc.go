// Package export writes what answers for external services, or what was recorded of them, in formats that other tools
// read. It is pure.
//
// [Recorded] makes stubs of recorded calls. [WireMock] and [Hoverfly] write stubs. [OpenAPI] writes what is known of
// the services by [Sample] values, which are made of stubs or of recorded calls ([SamplesOf], [RecordedSamples]).
package export
