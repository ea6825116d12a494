import {createHash} from 'node:crypto';
import {html, raw} from 'hono/html';
import {type Markup, waitText} from './markup.ts';

/** One column that fits 320 px, in the browser's own light or dark colours. */
const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 32rem; padding: 1rem; overflow-wrap: anywhere; }
header { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between; }
h1 { font-size: 1.5rem; line-height: 1.2; }
label, dt { display: block; font-weight: 600; }
dd { margin: 0 0 .75rem; }
input { box-sizing: border-box; width: 100%; font: inherit; padding: .5rem; margin: .25rem 0 1rem; border: 1px solid; border-radius: .25rem; }
button { font: inherit; min-height: 2.75rem; padding: .5rem 1.25rem; border: 1px solid; border-radius: .25rem; cursor: pointer; }
.button { display: inline-block; min-height: 1.5rem; padding: .5rem 1.25rem; border: 2px solid; border-radius: .25rem; font-weight: 600; text-decoration: none; }
.primary { font-weight: 600; border-width: 2px; }
:focus-visible { outline: 3px solid; outline-offset: 2px; }
[role=alert], [role=status] { border: 2px solid; border-left-width: .5rem; padding: .5rem .75rem; }
.hint { margin: -.75rem 0 1rem; }
code, .codes { font-family: ui-monospace, monospace; }
.code { font-size: 1.25rem; letter-spacing: .1em; text-transform: uppercase; }
svg { display: block; width: 100%; max-width: 14rem; height: auto; margin: 0 0 1rem; }
.row { display: flex; flex-wrap: wrap; gap: .75rem; }
`;

/**
 * Forbids scripts, images, frames, other origins, and forms that post to them. The referrer stays on this origin:
 * `no-referrer` would make browsers send `Origin: null` with this server's own forms.
 */
const headers = {
	'content-type': 'text/html; charset=utf-8',
	'cache-control': 'no-store',
	'content-security-policy': [
		"default-src 'none'",
		`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
		"form-action 'self'",
		"frame-ancestors 'none'",
		"base-uri 'none'",
	].join('; '),
	'referrer-policy': 'same-origin',
	'x-content-type-options': 'nosniff',
	'x-frame-options': 'DENY',
	'cross-origin-opener-policy': 'same-origin',
	'cross-origin-resource-policy': 'same-origin',
};

export type HtmlPage = {
	/** The title, which is also the heading. */
	readonly title: string;
	readonly body: Markup;
	/** 200 by default. */
	readonly status?: number;
	/** Why a form was rejected; announced first. */
	readonly problem?: string | undefined;
	/** Seconds to wait before a retry. */
	readonly retryAfter?: number;
};

/** Why a form was rejected. */
export type Failure = Pick<HtmlPage, 'status' | 'problem' | 'retryAfter'>;

/** Returns the failure of a form that was sent too often. */
export function tooManyAttempts(seconds: number): Failure {
	return {status: 429, problem: `Too many attempts. Try again in ${waitText(seconds)}.`, retryAfter: seconds};
}

/** The header of pages that need a login. */
export type PageHeader = {readonly email: string; readonly logOut: Markup};

/** Returns a page as a response. */
export async function respond(
	{title, body, status = 200, problem, retryAfter}: HtmlPage,
	header?: PageHeader,
): Promise<Response> {
	const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${problem ? 'Error: ' : ''}${title} · service</title>
<style>${raw(style)}</style>
</head>
<body>
${header ? html`<header><span>Signed in as <strong>${header.email}</strong></span>${header.logOut}</header>` : ''}
<main>
<h1>${title}</h1>
${problem ? html`<p role="alert" id="problem">${problem}</p>` : ''}
${body}
</main>
</body>
</html>
`;
	return new Response(String(await page), {
		status,
		headers: {...headers, ...(retryAfter !== undefined && {'retry-after': String(retryAfter)})},
	});
}

/** Redirects the browser to another page of this server, by GET. */
export function redirect(location: string): Response {
	return new Response(null, {
		status: 303,
		headers: {location, 'cache-control': 'no-store', 'referrer-policy': 'same-origin'},
	});
}
