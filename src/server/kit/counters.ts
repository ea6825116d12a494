/** What a server has stored since it started, for its metrics. */
export type Counters = {
	/** Spans accepted, and the bytes of the requests that brought them. */
	spans: number;
	spanBytes: number;
	/** Bytes of artifacts stored. */
	artifactBytes: number;
};

export const createCounters = (): Counters => ({spans: 0, spanBytes: 0, artifactBytes: 0});
