import type {OpenPanel} from '../../store/panel-slice.ts';
import type {AppState, AppStore} from '../../store/store.ts';
import {askPanel} from './ask-panel.tsx';
import {confirmPanel} from './confirm-panel.tsx';
import {devicePanel} from './device-panel.tsx';
import {editPanel} from './edit-panel.tsx';
import {fieldPanel} from './field-panel.tsx';
import {linesPanel} from './lines-panel.tsx';
import type {PanelModule} from './panel.ts';
import {pickPanel} from './pick-panel.tsx';
import {queuePanel} from './queue-panel.tsx';
import {tablePanel} from './table-panel.tsx';

/** All kinds of panels. */
const panels = {
	ask: askPanel,
	confirm: confirmPanel,
	device: devicePanel,
	edit: editPanel,
	field: fieldPanel,
	lines: linesPanel,
	pick: pickPanel,
	queue: queuePanel,
	table: tablePanel,
};

type Modules = typeof panels;

/** What can be open between the transcript and the prompt. */
export type Panel = {
	readonly [kind in keyof Modules]: Modules[kind] extends PanelModule<infer P extends OpenPanel> ? P : never;
}[keyof Modules];

const modules: Readonly<Record<string, PanelModule<OpenPanel>>> = panels;

/** Returns the module of a panel's kind. */
export function moduleOf({kind}: OpenPanel): PanelModule<OpenPanel> {
	const module = modules[kind];
	if (!module) {
		throw new Error(`No panel is called ${kind}.`);
	}

	return module;
}

/** Opens a panel in place of another one; undefined closes the open one. */
export function openPanel(store: AppStore, panel: Panel | undefined): void {
	const {setPanel, closePanel} = store.getState();
	if (panel) {
		setPanel(panel, moduleOf(panel).initial(panel));
	} else {
		closePanel();
	}
}

/** Returns the rows that the open panel needs: 0 without one, 1 for one that is hidden by a draft. */
export function panelHeight(state: Pick<AppState, 'panel' | 'filter' | 'size' | 'queue'>, isHidden: boolean): number {
	const {panel} = state;
	return panel === undefined ? 0 : isHidden ? 1 : moduleOf(panel).rows(panel, state);
}
