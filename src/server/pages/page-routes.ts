import type {Route} from '../kit/route.ts';
import type {Services} from '../kit/services.ts';
import {accountPages} from './account-pages.ts';
import {devicePages} from './device-pages.ts';
import {loginPages} from './login-pages.ts';
import {passwordPages} from './password-pages.ts';
import {secondFactorPages} from './second-factor-pages.ts';
import {signInPages} from './sign-in-pages.ts';

/** All pages for browsers. They need no script. */
export function pageRoutes(services: Services): readonly Route[] {
	return [
		...signInPages(services),
		...accountPages(services),
		...passwordPages(services),
		...secondFactorPages(services),
		...devicePages(services),
		...loginPages(services),
	];
}
