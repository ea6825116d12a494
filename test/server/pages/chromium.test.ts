import {expect, onTestFinished, test} from 'vitest';
import {createApp} from '../../../src/server/http/app.ts';
import {listen} from '../../../src/server/http/listen.ts';
import {freePort} from '../../free-port.ts';
import {startProvider} from '../accounts/openid-provider.ts';
import {createTestServer, scope} from '../harness.ts';
import {beginLogin, poll} from '../oauth/oauth.ts';
import {chromium, openPage} from './chromium.ts';

const reason = chromium ? '' : ' (skipped: no chromium, chromium-browser or google-chrome on PATH)';

const title = 'document.querySelector("h1").textContent';
const focused = 'document.activeElement.name || document.activeElement.textContent';

test.skipIf(!chromium)(
	`in Chromium a login is approved with the keyboard alone, without script, at 320 px and in the dark${reason}`,
	async () => {
		const server = await createTestServer();
		let url = '';
		const app = createApp({services: {...server.services, publicUrl: () => url}});
		const listening = await listen(app);
		onTestFinished(() => listening.close());
		url = listening.url;
		const page = await openPage(chromium ?? '');
		await page.command('Emulation.setScriptExecutionDisabled', {value: true});
		await page.command('Emulation.setDeviceMetricsOverride', {
			width: 320,
			height: 640,
			deviceScaleFactor: 1,
			mobile: true,
		});
		const features = [{name: 'prefers-color-scheme', value: 'dark'}];
		await page.command('Emulation.setEmulatedMedia', {features});
		const seen: unknown[] = [];
		const look = async () =>
			seen.push([
				await page.read(title),
				await page.read(focused),
				await page.read('document.documentElement.scrollWidth <= 320'),
				await page.read('getComputedStyle(document.body).color'),
			]);

		const {deviceCode, userCode} = await beginLogin(server);
		await page.open(`${url}/device?user_code=${userCode}`);
		await look();
		await page.tab(3);
		await page.enter();
		await look();
		await page.type('svc_wrong');
		await page.enter();
		await look();
		await page.type(server.owner.key);
		await page.enter();
		await look();
		await page.enter();
		await look();
		await page.tab(3);
		expect(await page.read(focused)).toBe('decision');
		await page.enter();
		await look();

		const white = 'rgb(255, 255, 255)';
		expect(seen).toEqual([
			['Log in', 'email', true, white],
			['Log in with an API key', 'api_key', true, white],
			['Log in with an API key', 'api_key', true, white],
			['Authorize a device', 'user_code', true, white],
			['Authorize this device?', expect.anything(), true, white],
			['Approved', expect.anything(), true, white],
		]);
		expect((await poll(server, deviceCode)).json).toMatchObject({token_type: 'Bearer'});

		// As if the session had been opened with a password.
		await server.database.updateTable('browser_sessions').set({api_key_id: null}).execute();
		await page.open(`${url}/account/second-factor`);
		await page.tab(2);
		await page.enter();
		expect(await page.read('document.querySelector("svg").getBoundingClientRect().width')).toBe(224);
		expect(await page.read('document.documentElement.scrollWidth <= 320')).toBe(true);
		expect(page.violations).toEqual([]);

		// The policy is enforced: foreign content is blocked and reported.
		await page.read('document.body.setAttribute("style", "color: red")');
		expect(await page.read('getComputedStyle(document.body).color')).toBe(white);
		expect(page.violations).toEqual([expect.stringContaining('Content Security Policy')]);
	},
);

/** A server for a browser, with its address. */
async function serve() {
	const server = await createTestServer();
	let url = '';
	const listening = await listen(createApp({services: {...server.services, publicUrl: () => url}}));
	onTestFinished(() => listening.close());
	url = listening.url;
	return {server, url};
}

test.skipIf(!chromium).each([1280, 375])(
	`in Chromium at %i px a decision survives a reload, and unknown pages are pages, by keyboard alone${reason}`,
	async width => {
		const {server, url} = await serve();
		const page = await openPage(chromium ?? '');
		await page.command('Emulation.setDeviceMetricsOverride', {width, height: 800, deviceScaleFactor: 1, mobile: false});
		const seen: unknown[] = [];
		const look = async () => {
			seen.push(await page.read(title));
			expect(await page.read(`document.documentElement.scrollWidth <= ${width}`)).toBe(true);
		};

		await page.open(`${url}/nothing/here`);
		await look();
		await page.tab();
		expect(await page.read(focused)).toBe('Your account');
		await page.enter();
		await look();
		await page.open(`${url}/sign-in/key`);
		await page.type(server.owner.key);
		await page.enter();
		await look();

		const {deviceCode, userCode} = await beginLogin(server);
		await page.open(`${url}/device?user_code=${userCode}`);
		await page.enter();
		await look();
		await page.tab(3);
		await page.enter();
		await look();
		await page.reload();
		await look();
		expect((await poll(server, deviceCode)).json).toMatchObject({token_type: 'Bearer'});
		await page.reload();
		await look();
		expect(seen).toEqual([
			'Page not found',
			'Log in',
			'Your account',
			'Authorize this device?',
			'Approved',
			'Approved',
			'Approved',
		]);
		expect(page.violations).toEqual([]);
	},
);

test.skipIf(!chromium).each([1280, 375])(
	`in Chromium at %i px members join by a link and log in with a provider, by keyboard alone${reason}`,
	async width => {
		const port = await freePort();
		const url = `http://127.0.0.1:${port}`;
		const [server, {oidc, state}] = await Promise.all([createTestServer(), startProvider({}, url)]);
		const app = createApp({services: {...server.services, publicUrl: () => url, oidc}});
		const listening = await listen(app, {port});
		onTestFinished(() => listening.close());
		const invite = async (email: string) => {
			const path = `/api/v1/org/${scope.org}/invitations`;
			return new URL((await server.send(path, {method: 'POST', body: {email}})).json.url).pathname;
		};
		const page = await openPage(chromium ?? '');
		await page.command('Emulation.setDeviceMetricsOverride', {width, height: 800, deviceScaleFactor: 1, mobile: false});
		const seen: unknown[] = [];
		const look = async () => {
			seen.push(await page.read(title));
			expect(await page.read(`document.documentElement.scrollWidth <= ${width}`)).toBe(true);
		};

		await page.open(`${url}${await invite('ida@acme.example')}`);
		await look();
		await page.tab();
		expect(await page.read(focused)).toBe(`Log in with ${oidc?.host}`);
		await page.tab(2);
		expect(await page.read(focused)).toBe('password');
		await page.type('correct horse battery');
		await page.tab();
		await page.type('correct horse');
		await page.enter();
		await look();
		expect(await page.read(focused)).toBe('repeated');
		await page.back();
		await page.type('correct horse battery');
		await page.tab();
		await page.type('correct horse battery');
		await page.enter();
		await look();
		await page.reload();
		await look();
		await page.tab();
		expect(await page.read(focused)).toBe('Log out');
		await page.enter();
		await look();

		state.person = {sub: 'u-1', email: 'grace@acme.example', email_verified: true};
		await page.open(`${url}${await invite('grace@acme.example')}`);
		await page.tab();
		await page.enter();
		await look();
		await page.tab();
		await page.enter();
		await page.tab(2);
		await page.enter();
		await look();
		expect(await page.read(focused)).toBe('email');
		await page.back();
		expect(await page.read(focused)).toBe(`Log in with ${oidc?.host}`);
		await page.enter();
		await look();
		expect(seen).toEqual([
			'Join acme?',
			'Join acme?',
			'You belong to acme',
			'You belong to acme',
			'You are logged out',
			'You belong to acme',
			'Log in',
			'Your account',
		]);
		expect(page.violations).toEqual([]);
	},
);
