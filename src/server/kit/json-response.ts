/**
 * A JSON response that keeps its text, so that it's sent as it is. `Response.json` makes a stream of bytes of the text, and
 * reading that takes longer than reading a list from SQLite; here only who reads the body pays for it.
 */
export class JsonResponse extends Response {
	/** The whole body. */
	readonly content: string;
	#standard: Response | undefined;

	/** `headers` get the content type if they have none. */
	constructor(
		value: unknown,
		{status = 200, headers}: {readonly status?: number; readonly headers?: HeadersInit} = {},
	) {
		super(null, {status, ...(headers && {headers})});
		this.content = JSON.stringify(value);
		if (!this.headers.has('content-type')) {
			this.headers.set('content-type', 'application/json');
		}
	}

	/** The same response as the standard has it. */
	get #whole(): Response {
		this.#standard ??= new Response(this.content, {status: this.status, headers: this.headers});
		return this.#standard;
	}

	override get body() {
		return this.#whole.body;
	}

	override get bodyUsed() {
		return this.#standard?.bodyUsed ?? false;
	}

	override arrayBuffer() {
		return this.#whole.arrayBuffer();
	}

	override blob() {
		return this.#whole.blob();
	}

	override bytes() {
		return this.#whole.bytes();
	}

	override clone() {
		return this.#whole.clone();
	}

	override formData() {
		return this.#whole.formData();
	}

	override json() {
		return this.#whole.json();
	}

	override text() {
		return this.#whole.text();
	}
}
