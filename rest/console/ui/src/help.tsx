import { Dialog } from './dialog';

const keys: [string, string][] = [
  ['/', 'search'],
  ['j k', 'next and previous row, line, or object that needs attention'],
  ['Enter', 'open the row'],
  ['u', 'up: from an object to its table, from a table to the kinds'],
  ['g', 'all kinds'],
  ['n', 'namespace'],
  ['w', 'wide columns'],
  ['f', 'counts by value'],
  ['1 2 3 4 5', 'overview, document, subresources, editor, history of an object'],
  ['c', 'create an object of the kind'],
  ['e', 'edit the object'],
  ['Ctrl-Enter', 'in the editor: let the API try the change'],
  ['y', 'YAML or JSON'],
  ['t', 'colours: as the system says, dark, light'],
  ['Esc', 'leave a field'],
  ['?', 'this list'],
];

export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {keys.map(([key, does]) => (
          <>
            <dt>
              {key.split(' ').map((k) => (
                <kbd>{k}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </>
        ))}
      </dl>
    </Dialog>
  );
}
