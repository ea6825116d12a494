import {html} from 'hono/html';
import {timingSafeEquals} from '../../core/secrets/timing-safe-equals.ts';
import type {AccountServices} from '../accounts/account-services.ts';
import {type BrowserSession, findSession} from '../accounts/browser-session.ts';
import {createToken, hashToken, kindOfToken} from '../accounts/token.ts';
import {formType, readForm} from '../kit/form-body.ts';
import type {PublicRequest, ServerRoute} from '../kit/route.ts';
import {basePathOf, requestUrl} from '../kit/server-url.ts';
import {readCookie, writeCookie} from './cookie.ts';
import type {Markup} from './markup.ts';
import {withNext} from './next.ts';
import {type PageHeader, redirect, respond} from './page.ts';

/** A request for a page. */
export type Visit = {
	readonly services: AccountServices;
	readonly request: Request;
	readonly url: URL;
	/** What the path names. */
	readonly parameters: PublicRequest['parameters'];
	readonly visitor: Visitor;
	/** The hidden field that every form needs. */
	readonly token: Markup;
};

/** A request for a page by a user who is logged in, including the second factor. */
export type UserVisit = Visit & {readonly session: BrowserSession; readonly header: PageHeader};

type Page<Kind extends Visit> = {
	readonly path: string;
	readonly show?: (visit: Kind) => Promise<Response>;
	/** Handles a form that a page of this server sent. */
	readonly submit?: (visit: Kind, form: URLSearchParams) => Promise<Response>;
};

/** Creates the routes of pages that need no login. */
export function publicPages(services: AccountServices, pages: readonly Page<Visit>[]): readonly ServerRoute[] {
	return pages.flatMap(page => routesOf(services, page, visit => visit));
}

/** Creates the routes of pages that need a login; without one they redirect to it and return afterwards. */
export function userPages(services: AccountServices, pages: readonly Page<UserVisit>[]): readonly ServerRoute[] {
	return pages.flatMap(page =>
		routesOf(services, page, visit => {
			const {session} = visit.visitor;
			const currentPath = `${visit.url.pathname}${visit.url.search}`;
			if (!session || session.needsSecondFactor) {
				return redirect(withNext(session ? '/sign-in/code' : '/sign-in', currentPath));
			}

			return {...visit, session, header: {email: session.account.email, logOut: logOutForm(visit)}};
		}),
	);
}

/** Returns the button that logs out. */
export function logOutForm({token}: Visit): Markup {
	return html`<form method="post" action="/sign-out">${token}<button>Log out</button></form>`;
}

function routesOf<Kind extends Visit>(
	services: AccountServices,
	{path, show, submit}: Page<Kind>,
	authorize: (visit: Visit) => Kind | Response,
): readonly ServerRoute[] {
	const visitOf = async ({request, url, parameters}: PublicRequest): Promise<Visit> => {
		const visitor = await recognize(services, request);
		const token = html`<input type="hidden" name="form_token" value="${visitor.formToken}">`;
		return {services, request, url, parameters, visitor, token};
	};
	const get = async (input: PublicRequest): Promise<Response> => {
		const visit = await visitOf(input);
		const granted = authorize(visit);
		if (granted instanceof Response) {
			return withCookie(granted, visit.visitor);
		}

		// A form's target may have no page of its own: a reload then leads to the page with the form.
		const response = await (show?.(granted) ?? redirect(path.replace(/\/[^/]*$/, '') || '/account'));
		return withCookie(response, visit.visitor);
	};
	const atBase = (handle: (input: PublicRequest) => Promise<Response>) => async (input: PublicRequest) =>
		belowBase(await handle(input), basePathOf(services.publicUrl()));
	const routes: ServerRoute[] = [{method: 'GET', path, auth: 'none', handle: atBase(get)}];
	if (submit) {
		const post = async (input: PublicRequest): Promise<Response> => {
			const visit = await visitOf(input);
			const form = await readForm(input.request);
			if (!form || !isOwnForm(input.request, form, visit.visitor)) {
				return await refuseForm(visit.url.pathname);
			}

			const granted = authorize(visit);
			return granted instanceof Response ? granted : await submit(granted, form);
		};
		routes.push({method: 'POST', path, auth: 'none', accepts: [formType], handle: atBase(post)});
	}

	return routes;
}

/** Puts the path of the server before the addresses of its own pages, which begin with a slash in pages and redirects. */
async function belowBase(response: Response, base: string): Promise<Response> {
	if (!base) {
		return response;
	}

	const headers = new Headers(response.headers);
	const location = headers.get('location');
	if (location?.startsWith('/')) {
		headers.set('location', `${base}${location}`);
	}

	// Quotes of other texts are escaped, so that these are attributes.
	const page = (await response.text()).replace(/ (href|action)="\//g, ` $1="${base}/`);
	return new Response(page || null, {status: response.status, headers});
}

/** Rejects a form of another site, or of a page whose session has ended. */
function refuseForm(path: string): Promise<Response> {
	return respond({
		title: 'Nothing was changed',
		status: 403,
		problem: 'This page has expired.',
		body: html`<p><a href="${path}">Open the page again</a> and retry. Your browser must allow cookies.</p>`,
	});
}

function withCookie(response: Response, {setCookie}: Visitor): Response {
	if (setCookie) {
		response.headers.append('set-cookie', setCookie);
	}

	return response;
}

/** The browser that requests a page. */
type Visitor = {
	/** This server's URL, as the browser reached it. */
	readonly server: string;
	readonly session: BrowserSession | undefined;
	/** The value of its cookie, which other browsers don't know. */
	readonly cookie: string;
	/** The token of every form, which only pages of this server know (SAFETY 25). */
	readonly formToken: string;
	/** The cookie that the form token belongs to, for a browser without one. */
	readonly setCookie: string | undefined;
};

/** Identifies a browser by its cookie. A browser without one gets a random cookie, not a session, for its first form. */
async function recognize(services: AccountServices, request: Request): Promise<Visitor> {
	const server = requestUrl(request, services);
	const sent = readCookie(request, server);
	const known = sent !== undefined && kindOfToken(sent) === 'session' ? sent : undefined;
	const cookie = known ?? createToken('session').token.reveal();
	return {
		server,
		session: await findSession(services, known),
		cookie,
		formToken: hashToken(`form:${cookie}`),
		setCookie: known ? undefined : writeCookie(server, cookie),
	};
}

/**
 * Returns whether a page of this server sent a form: its token matches the cookie, and it names its origin, which
 * `checkHost` compared with this server's.
 */
function isOwnForm(request: Request, form: URLSearchParams, {formToken}: Visitor): boolean {
	return request.headers.has('origin') && timingSafeEquals(form.get('form_token') ?? '', formToken);
}
