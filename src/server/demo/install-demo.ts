import {AppError} from '../../core/error.ts';
import type {Secret} from '../../core/secrets/secret.ts';
import {type Initialized, initialize} from '../accounts/initialize.ts';
import {grantCredits, setAutoRefill} from '../credits/account.ts';
import type {Services} from '../handlers/services.ts';
import type {App} from '../kit/route.ts';
import {createRuntime} from '../sandboxes/create-runtime.ts';
import {exampleNames} from '../tasks/examples/examples.ts';
import {refundTranscript} from './artifacts.ts';
import {assessmentSpans} from './assessments.ts';
import type {DemoReference} from './demo-reference.ts';
import {demoSessions, sessionSpans} from './sessions.ts';
import {exportDemo} from './span.ts';
import {demoEvaluation, demoRuns, workSpans} from './work.ts';

const demoScope = {organization: 'demo', workspace: 'main', project: 'shop', email: 'you@localhost'};

const runtimes = [
	{
		key: 'web-shop',
		name: 'Web shop',
		description: 'A small shop with a busy log.',
		taskReference: 'web-shop',
		requestedSeconds: 1800,
	},
	{key: 'nightly-import', name: 'Nightly import', taskReference: 'nightly-import'},
];

const autoRefill = {refill_enabled: 1, has_payment_method: 1, monthly_cap: 10, quantity: 1000, threshold: 500} as const;

/** What the demo contains that no operation lists. */
export const demoReferences: readonly DemoReference[] = [
	...demoSessions.map(id => ({kind: 'session' as const, id})),
	...demoRuns.map(id => ({kind: 'run' as const, id})),
	...runtimes.map(({key}) => ({kind: 'runtime' as const, id: key})),
	...exampleNames.map(id => ({kind: 'task' as const, id})),
	{kind: 'evaluation', id: demoEvaluation},
];

/** The first user of the demo, and the UUID of its project. */
type Installed = Initialized & {readonly projectId: string};

/**
 * Creates the demo organization with its first user, and loads the demo. Returns undefined if it already exists, and
 * leaves it unchanged.
 */
export async function installDemo(app: App, services: Services): Promise<Installed | undefined> {
	const initialized = await initialize(services, demoScope).catch(error => {
		if (error instanceof AppError && error.code === 'conflict') {
			return undefined;
		}

		throw error;
	});
	if (!initialized) {
		return undefined;
	}

	await loadDemo(app, {
		org: initialized.organization,
		workspace: initialized.workspace,
		server: services.publicUrl(),
		key: initialized.apiKey,
		now: services.now(),
	});
	const {organization_id, workspace_id, id} = await services.database
		.selectFrom('projects')
		.innerJoin('workspaces', 'workspaces.id', 'projects.workspace_id')
		.innerJoin('organizations', 'organizations.id', 'workspaces.organization_id')
		.select(['organization_id', 'workspace_id', 'projects.id'])
		.where('organizations.slug', '=', initialized.organization)
		.executeTakeFirstOrThrow();
	const owner = {
		organizationId: organization_id,
		workspaceId: workspace_id,
		projectId: id,
		createdBy: initialized.userId,
	};
	await services.database.transaction().execute(async transaction => {
		await grantCredits(transaction, {
			organizationId: organization_id,
			amount: 5000,
			reason: 'demonstration',
			now: services.now(),
		});
		await setAutoRefill(transaction, {organization_id, ...autoRefill});
	});
	for (const runtime of runtimes) {
		await createRuntime(services, {...owner, ...runtime});
	}

	return {...initialized, projectId: id};
}

type Options = {
	/** The slug of the organization to load the demo into. */
	readonly org: string;
	readonly workspace: string;
	/** The server's URL, whose host every request names. */
	readonly server: string;
	readonly key: Secret;
	readonly now: Date;
};

/**
 * Loads the demo like any program that sends traces: through the public API, with a key. Loading it again only changes
 * times.
 */
export async function loadDemo(app: App, {org, workspace, server, key, now}: Options): Promise<void> {
	const send = async (method: string, path: string, body: string) => {
		const {host, origin} = new URL(server);
		const headers = {host, authorization: `Bearer ${key.reveal()}`, 'content-type': 'application/json'};
		const response = await app(new Request(`${origin}/api/v1/org/${org}${path}`, {method, headers, body}));
		const answer = await response.text();
		if (!response.ok || answer.includes('rejectedSpans')) {
			throw new Error(`The demo could not be loaded: ${response.status} ${answer}`);
		}
	};

	const spans = [...sessionSpans, ...assessmentSpans, ...workSpans];
	await send('POST', '/otel/traces', exportDemo(spans, now));
	await send('PUT', `/ws/${workspace}/artifacts/${refundTranscript.oid}`, refundTranscript.text);
}
