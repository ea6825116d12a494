import {html} from 'hono/html';
import {JsonResponse} from '../kit/json-response.ts';
import type {ServerRoute} from '../kit/route.ts';
import {basePathOf} from '../kit/server-url.ts';
import {respond} from './page.ts';

/** A prompt, in the colours that the browser's tabs have around it. */
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#555"/><path d="M4 4.5 7.5 8 4 11.5M8.5 11.5h4" fill="none" stroke="#fff" stroke-width="1.5"/></svg>`;

/** The icon that browsers ask for by themselves. */
export const iconRoute: ServerRoute = {
	method: 'GET',
	path: '/favicon.ico',
	auth: 'none',
	handle: () =>
		new Response(icon, {
			headers: {
				'content-type': 'image/svg+xml',
				'cache-control': 'public, max-age=86400',
				'x-content-type-options': 'nosniff',
				'content-security-policy': "default-src 'none'",
			},
		}),
};

const titles: Readonly<Record<number, string>> = {
	400: 'The server didn’t understand this',
	403: 'No access',
	404: 'Page not found',
	405: 'Page not found',
	429: 'Too many requests',
	502: 'The server can’t answer now',
	503: 'The server is stopping',
};

/**
 * Returns an error as a page for who looks at it in a browser: without a credential, which programs send. Everything that needs
 * one looks like a page that doesn't exist, so that strangers can't find out which routes do.
 */
export async function asPage(
	{headers}: Request,
	response: Response,
	{publicUrl}: {readonly publicUrl: () => string},
): Promise<Response> {
	const isProgram = headers.has('authorization') || headers.has('x-api-key');
	const wantsPage = /\btext\/html\b/i.test(headers.get('accept') ?? '');
	if (isProgram || !wantsPage || response.status < 400 || !(response instanceof JsonResponse)) {
		return response;
	}

	const isHidden = response.status === 401 || response.status === 404;
	const status = isHidden ? 404 : response.status;
	const {detail} = JSON.parse(response.content);
	const page = await respond({
		title: titles[status] ?? 'Something went wrong',
		status,
		body: html`<p>${
			isHidden || typeof detail !== 'string' ? 'This server has no page at this address.' : detail
		}</p><p><a href="${basePathOf(publicUrl())}/account">Your account</a></p>`,
	});
	for (const name of ['allow', 'retry-after']) {
		const value = response.headers.get(name);
		if (value !== null) {
			page.headers.set(name, value);
		}
	}

	return page;
}
