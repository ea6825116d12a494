import {html} from 'hono/html';
import type {AccountServices} from '../accounts/account-services.ts';
import type {BrowserSession} from '../accounts/browser-session.ts';
import {formType, readForm} from '../kit/form-body.ts';
import type {PublicRequest, Route} from '../kit/route.ts';
import {basePathOf} from '../kit/server-url.ts';
import type {Markup} from './markup.ts';
import {withNext} from './next.ts';
import {type PageHeader, redirect, respond} from './page.ts';
import {isOwnForm, recognize, type Visitor} from './visitor.ts';

/** A request for a page. */
export type Visit = {
	readonly services: AccountServices;
	readonly request: Request;
	readonly url: URL;
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
export function publicPages(services: AccountServices, pages: readonly Page<Visit>[]): readonly Route[] {
	return pages.flatMap(page => routesOf(services, page, visit => visit));
}

/** Creates the routes of pages that need a login; without one they redirect to it and return afterwards. */
export function userPages(services: AccountServices, pages: readonly Page<UserVisit>[]): readonly Route[] {
	return pages.flatMap(page =>
		routesOf(services, page, visit => {
			const {session} = visit.visitor;
			const currentPath = `${visit.url.pathname}${visit.url.search}`;
			if (!session || session.needsSecondFactor) {
				return redirect(withNext(session ? '/sign-in/code' : '/sign-in', currentPath));
			}

			const logOut = html`<form method="post" action="/sign-out">${visit.token}<button>Log out</button></form>`;
			return {...visit, session, header: {email: session.account.email, logOut}};
		}),
	);
}

function routesOf<Kind extends Visit>(
	services: AccountServices,
	{path, show, submit}: Page<Kind>,
	authorize: (visit: Visit) => Kind | Response,
): readonly Route[] {
	const visitOf = async ({request, url}: PublicRequest): Promise<Visit> => {
		const visitor = await recognize(services, request);
		const token = html`<input type="hidden" name="form_token" value="${visitor.formToken}">`;
		return {services, request, url, visitor, token};
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
	const routes: Route[] = [{method: 'GET', path, auth: 'none', handle: atBase(get)}];
	if (submit) {
		const post = async (input: PublicRequest): Promise<Response> => {
			const visit = await visitOf(input);
			const form = await readForm(input.request);
			if (!form || !isOwnForm(input.request, form, visit.visitor)) {
				return await refuseForm(path);
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
