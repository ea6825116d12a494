import type {AccountServices} from '../accounts/account-services.ts';
import type {Route} from '../kit/route.ts';
import {accountPages} from './account-pages.ts';
import {activeSessionPages} from './active-session-pages.ts';
import {devicePages} from './device-pages.ts';
import {loginPages} from './login-pages.ts';
import {passwordPages} from './password-pages.ts';
import {secondFactorPages} from './second-factor-pages.ts';

/** Creates the routes of all browser pages, which work without scripts. */
export function pageRoutes(services: AccountServices): readonly Route[] {
	return [
		...loginPages(services),
		...accountPages(services),
		...passwordPages(services),
		...secondFactorPages(services),
		...devicePages(services),
		...activeSessionPages(services),
	];
}
