import {html} from 'hono/html';
import type {AccountServices} from '../accounts/account-services.ts';
import {endLogin, type Login, listLogins} from '../accounts/login.ts';
import type {Route} from '../kit/route.ts';
import {type Markup, timeOf} from './markup.ts';
import {redirect, respond} from './page.ts';
import {type SignedVisit, signedPages} from './page-route.ts';

const here = '/account/logins';

/** Where somebody sees which terminals are in under his name, and ends what he does not know or has lost. */
export function loginPages(services: AccountServices): readonly Route[] {
	return signedPages(services, [
		{path: here, show: listPage},
		{
			path: `${here}/end`,
			async take({session}, form) {
				await endLogin(services, {id: form.get('login') ?? '', userId: session.account.id});
				return redirect(here);
			},
		},
	]);
}

async function listPage(visit: SignedVisit): Promise<Response> {
	const {services, session, signed} = visit;
	const logins = await listLogins(services, session.account.id);
	return await respond(
		{
			title: 'Terminals that are in',
			body: html`${
				logins.length > 0
					? html`<ul>${logins.map(login => item(visit, login))}</ul>`
					: html`<p>None. “service login” at a terminal begins one.</p>`
			}
<p>API keys are not among them: “service api-key list” shows those.</p>
<p><a href="/account">Back to your account</a></p>`,
		},
		signed,
	);
}

function item({token}: SignedVisit, {id, program, startedAt, refreshedAt}: Login): Markup {
	return html`<li id="${id}"><strong>${program}</strong>, since ${timeOf(startedAt)}, last renewed ${timeOf(refreshedAt)}
<form method="post" action="${here}/end">${token}
<input type="hidden" name="login" value="${id}"><button aria-describedby="${id}">End this login</button>
</form></li>`;
}
