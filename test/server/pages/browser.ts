import {clientAddressHeader} from '../../../src/server/kit/client-address.ts';
import type {App} from '../../../src/server/kit/route.ts';

/** What a browser shows: the page and its URL. */
export type Shown = {
	readonly status: number;
	readonly path: string;
	readonly headers: Headers;
	readonly html: string;
	/** The heading. */
	readonly title: string;
	/** The error that is read out; undefined if there is none. */
	readonly problem: string | undefined;
};

type Sending = {
	/** Replaces the browser's own values; undefined omits them. */
	readonly origin?: string | undefined;
	readonly formToken?: string;
	/** The form's target, if not the page's own. */
	readonly target?: string;
};

export type Browser = ReturnType<typeof createBrowser>;

/** A browser without scripts: it keeps cookies, follows redirects, and sends the forms of the current page. */
export function createBrowser(
	app: App,
	origin = 'http://127.0.0.1:8700',
	address = '127.0.0.1',
	/** Visits another server, and returns the address that it sends the browser to. */
	visit?: (url: string) => Promise<string>,
) {
	const cookies = new Map<string, string>();
	let shown: Shown | undefined;

	async function open(path: string, init: RequestInit = {}): Promise<Shown> {
		const headers = new Headers(init.headers);
		headers.set('host', new URL(origin).host);
		headers.set(clientAddressHeader, address);
		headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
		const response = await app(new Request(new URL(path, origin), {...init, headers}));
		const cookie = /^([^=]+)=([^;]*)/.exec(response.headers.get('set-cookie') ?? '');
		if (cookie?.[1]) {
			cookies.set(cookie[1], cookie[2] ?? '');
		}

		const location = response.headers.get('location');
		if (response.status === 303 && location) {
			const isElsewhere = new URL(location, origin).origin !== origin;
			return await open(isElsewhere && visit ? await visit(location) : location);
		}

		const html = await response.text();
		const title = plain(/<h1>([\s\S]*?)<\/h1>/.exec(html)?.[1] ?? '');
		const problem = /role="alert"[^>]*>([\s\S]*?)</.exec(html)?.[1];
		shown = {
			status: response.status,
			path,
			headers: response.headers,
			html,
			title,
			problem: problem === undefined ? undefined : plain(problem),
		};
		return shown;
	}

	return {
		cookies,
		open: (path: string) => open(path),
		/** Fills in and sends the page's form with this `action`, whatever its query. */
		async submit(action: string, fields: Readonly<Record<string, string>> = {}, sending: Sending = {}): Promise<Shown> {
			const form = formsOf(shown?.html ?? '').find(({target}) => target.split('?')[0] === action);
			if (!form) {
				throw new Error(`The page ${shown?.path} has no form to ${action}.`);
			}

			const body = new URLSearchParams({...form.hidden, ...fields});
			if (sending.formToken !== undefined) {
				body.set('form_token', sending.formToken);
			}

			const from = 'origin' in sending ? sending.origin : origin;
			return await open(sending.target ?? form.target, {
				method: 'POST',
				body: body.toString(),
				headers: {'content-type': 'application/x-www-form-urlencoded', ...(from && {origin: from})},
			});
		},
	};
}

/** Returns the forms of a page with their own values. */
export function formsOf(html: string) {
	return [...html.matchAll(/<form method="post" action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)].map(
		([, target = '', inside = '']) => ({
			target: plain(target),
			hidden: Object.fromEntries(
				[...inside.matchAll(/<input type="hidden" name="([^"]*)"[^>]* value="([^"]*)"/g)].map(
					([, name = '', value = '']) => [name, plain(value)],
				),
			),
		}),
	);
}

const entities: Readonly<Record<string, string>> = {
	'&amp;': '&',
	'&lt;': '<',
	'&gt;': '>',
	'&quot;': '"',
	'&#39;': "'",
};

function plain(text: string): string {
	return text.replace(/&(?:amp|lt|gt|quot|#39);/g, entity => entities[entity] ?? entity);
}
