import {html} from 'hono/html';
import type {AccountServices} from '../accounts/account-services.ts';
import type {Route} from '../kit/route.ts';
import {redirect, respond} from './page.ts';
import {type UserVisit, userPages} from './page-route.ts';

/** The account page, with links to everything that users manage themselves. */
export function accountPages(services: AccountServices): readonly Route[] {
	return [
		{method: 'GET', path: '/', auth: 'none', handle: () => redirect('/account')},
		...userPages(services, [{path: '/account', show: overview}]),
	];
}

function overview({session: {account}, header}: UserVisit): Promise<Response> {
	return respond(
		{
			title: 'Your account',
			body: html`<ul>
<li><a href="/device">Authorize a device</a> with the code that “service login” shows</li>
<li><a href="/account/logins">Active sessions</a></li>
<li>${
				account.password_hash
					? html`<a href="/account/password">Change your password</a>`
					: html`<a href="/password">Choose a password</a>`
			}</li>
<li><a href="/account/second-factor">Second factor</a>: ${account.totp_secret ? 'on' : 'off'}</li>
</ul>`,
		},
		header,
	);
}
