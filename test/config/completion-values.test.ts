import {expect, test} from 'vitest';
import {createCompletionValues} from '../../src/config/completion-values.ts';
import {openConfig} from '../../src/config/config.ts';
import {saveProfile} from '../../src/config/profiles.ts';
import {openRecents} from '../../src/config/recents.ts';
import {AppError} from '../../src/core/error.ts';
import {providerNames} from '../../src/core/model.ts';
import {temporaryHome} from '../storage/temporary.ts';

test('values come from the configuration, recently seen ids and models', async () => {
	const home = temporaryHome();
	const config = openConfig(home);
	const recents = openRecents(home.recentsFile);
	recents.remember('lab', [{kind: 'run', id: '9f'}]);
	recents.remember('other', [{kind: 'run', id: 'far'}]);
	await recents.settle(300_000);
	const login = {server: 'https://a.example.com', apiKey: undefined, org: undefined};
	await saveProfile(config, {...login, name: 'lab', workspace: undefined, project: undefined});
	const valuesOf = createCompletionValues({config, recents, profile: () => 'lab', models: () => ['openai/gpt']});
	expect(valuesOf('provider')).toEqual(providerNames);
	expect(valuesOf('profile')).toEqual(['lab']);
	expect(valuesOf('server')).toEqual(['https://a.example.com']);
	const inApp = createCompletionValues({config, recents, profile: () => 'lab', models: () => [], embedded: 'local'});
	expect(inApp('server')).toEqual(['https://a.example.com', 'local']);
	expect(valuesOf('model')).toEqual(['openai/gpt']);
	expect(valuesOf('run')).toEqual(['9f']);
	expect(valuesOf('item')).toEqual([]);
});

test('models that only the settings name come first, each once', () => {
	const settings = {
		model: 'custom/own',
		prices: {'custom/own': [1, 2]},
		windows: {'custom/far': 8000, 'openai/gpt': 9000},
	};
	const config = {read: () => ({...openConfig(temporaryHome()).read(), settings})} as Parameters<
		typeof createCompletionValues
	>[0]['config'];
	const recents = {recall: () => []};
	const valuesOf = createCompletionValues({
		config,
		recents,
		profile: () => undefined,
		models: () => ['openai/gpt', 'openai/o'],
	});
	expect(valuesOf('model')).toEqual(['custom/own', 'custom/far', 'openai/gpt', 'openai/o']);
});

test('an unreadable configuration offers no values and throws nothing', () => {
	const config = {
		read() {
			throw new AppError('failed', 'Invalid configuration.');
		},
	};
	const recents = {recall: () => ['9f']};
	const profile = () => config.read();
	const valuesOf = createCompletionValues({config, recents, profile, models: () => []});
	expect([valuesOf('profile'), valuesOf('run')]).toEqual([[], []]);
});
