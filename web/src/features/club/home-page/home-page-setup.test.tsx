import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeWhoami, makeOwnClub, makePageContext } from '@/testing/club-data';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { sessionAtom } from '../session/session-atoms';
import { HomePageSetup } from './home-page-setup';

const OWN_CLUB = makeOwnClub({
  homePageTitle: 'Sharks Juniors',
  homePageTagline: 'Support our juniors',
  accentColor: '#ffc72c',
});
let server: FakeServer;

beforeEach(() => {
  server = new FakeServer().on('GET /api/clubs/1', { body: OWN_CLUB });
});
afterEach(() => vi.unstubAllGlobals());

function openHomePageSetup() {
  const shown = renderScreen(
    <HomePageSetup
      here={makePageContext()}
      preview={(club) => <p>{`Preview of ${club.homePageTitle} in ${club.primaryColor}`}</p>}
      readable={() => ({ text: 'black', ratio: 5.714 })}
    />,
    '/club/sharks/admin/home-page-setup',
  );
  shown.store.set(sessionAtom, { state: 'in', whoami: makeWhoami() });
  return shown;
}
const changeField = (label: string | RegExp, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
const pressSave = () => userEvent.click(screen.getByRole('button', { name: 'Save home page' }));
const openEditor = async () => {
  const tab = screen.queryByRole('tab', { name: 'Edit' });
  if (tab) await userEvent.click(tab);
};

test('input is previewed at once, with the readability of text on each colour', async () => {
  openHomePageSetup();
  expect((await screen.findAllByText('Buttons will use black text (5.71:1)')).length).toBe(1);
  changeField('Page name', 'Redcliffe  Sharks!!');
  expect((screen.getByLabelText('Page name') as HTMLInputElement).value).toBe('redcliffe-sharks-');
  changeField('Title', 'The Sharks');
  changeField('Primary colour', '#0b2e6b');
  const tab = screen.queryByRole('tab', { name: 'Preview' });
  if (tab) await userEvent.click(tab);
  expect(screen.getByText('Preview of The Sharks in #0b2e6b')).toBeTruthy();
  await openEditor();
});

test('the page is saved, and a new page name changes the address', async () => {
  server.on('PATCH /api/clubs/1/home-page', { body: { ...OWN_CLUB, homePageSlug: 'redcliffe' } });
  openHomePageSetup();
  await screen.findByLabelText('Page name');
  changeField('Page name', 'redcliffe');
  await pressSave();
  expect(await screen.findByText('Home page updated successfully')).toBeTruthy();
  await waitFor(() =>
    expect(window.location.pathname).toBe('/club/redcliffe/admin/home-page-setup'),
  );
  expect(JSON.parse(localStorage.getItem('user') ?? '{}').clubSlug).toBe('redcliffe');
  expect(server.requests.find(({ method }) => method === 'PATCH')?.body).toMatchObject({
    homePageSlug: 'redcliffe',
    logoUrl: '',
    homePageEnabled: true,
    facebookPixelId: '',
  });
});

test('problems are listed before anything is sent', async () => {
  openHomePageSetup();
  await screen.findByLabelText('Page name');
  changeField('Title', 'x');
  changeField('Accent colour', 'blue');
  changeField('Pixel ID (optional)', '12');
  changeField('Or its web address', 'nonsense');
  await pressSave();
  expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    'Title must be between 3 and 100 characters',
    'Must be a valid URL or uploaded image',
    'Must be a valid hex color',
    'Pixel ID must be 5 to 20 digits',
  ]);
  expect(server.paths().some((path) => path.startsWith('PATCH'))).toBe(false);
});

test('a refusal shows at its field, and a failure shows an error', async () => {
  server.on(
    'PATCH /api/clubs/1/home-page',
    { status: 409, body: { code: 'slug-taken', message: 'This page name is already taken.' } },
    {
      status: 400,
      body: {
        code: 'invalid',
        message: 'x',
        errors: [
          {
            field: 'homePageSlug',
            message: 'Page name must contain only lowercase letters, numbers, and hyphens',
          },
        ],
      },
    },
    { status: 500 },
  );
  openHomePageSetup();
  await screen.findByLabelText('Page name');
  await pressSave();
  expect((await screen.findAllByText('This page name is already taken.')).length).toBeGreaterThan(
    1,
  );
  await pressSave();
  expect(
    (
      await screen.findAllByText(
        'Page name must contain only lowercase letters, numbers, and hyphens',
      )
    ).length,
  ).toBeGreaterThan(1);
  await pressSave();
  expect((await screen.findAllByText('Failed to update home page')).length).toBe(2);
});

test('a logo of an unconfirmed club is refused with the server’s text', async () => {
  const text = "Please confirm your club's email address first. Then you can upload pictures.";
  server.on('PATCH /api/clubs/1/home-page', {
    status: 403,
    body: { code: 'email-not-confirmed', message: text },
  });
  openHomePageSetup();
  await screen.findByLabelText('Page name');
  await pressSave();
  // The text appears once in the form and once in the toast.
  expect((await screen.findAllByText(text)).length).toBe(2);
});

test('a logo is checked, read and shown, and a file that is no picture or too large is rejected', async () => {
  openHomePageSetup();
  const file = await screen.findByLabelText('Logo (PNG, JPG or SVG, at most 2MB)');
  const user = userEvent.setup({ applyAccept: false });
  await user.upload(file, new File(['x'], 'a.gif', { type: 'image/gif' }));
  expect(screen.getByText('Invalid file type')).toBeTruthy();
  expect(screen.getByText('Please upload a PNG, JPG, or SVG file.')).toBeTruthy();
  await user.upload(
    file,
    new File([new Uint8Array(2 * 1024 * 1024 + 1)], 'a.png', { type: 'image/png' }),
  );
  expect(screen.getByText('File too large')).toBeTruthy();
  await user.upload(file, new File(['x'], 'a.png', { type: 'image/png' }));
  expect(await screen.findByText('Logo uploaded')).toBeTruthy();
  expect(screen.getByAltText('The logo as chosen').getAttribute('src')).toMatch(
    /^data:image\/png;base64,/,
  );
  vi.stubGlobal(
    'FileReader',
    class {
      onerror = () => {};
      readAsDataURL() {
        this.onerror();
      }
    },
  );
  await user.upload(
    screen.getByLabelText(/^Logo \(PNG/),
    new File(['y'], 'b.png', { type: 'image/png' }),
  );
  expect(await screen.findByText('Upload failed')).toBeTruthy();
});

test('the address can be copied, and a failed load can be retried', async () => {
  Object.defineProperty(navigator, 'clipboard', {
    configurable: true,
    value: { writeText: vi.fn().mockResolvedValue(undefined) },
  });
  server.on('GET /api/clubs/1', { status: 500 }, { body: OWN_CLUB });
  openHomePageSetup();
  expect(await screen.findByRole('heading', { name: 'Failed to load club page' })).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Copy URL' }));
  expect(await screen.findByText('URL copied')).toBeTruthy();
});

test('an unsaved page starts with the default tagline, and an archived club’s page cannot be saved', async () => {
  server.on('GET /api/clubs/1', {
    body: makeOwnClub({ homePageTitle: null, homePageTagline: '', homePageReady: false }),
  });
  const { unmount } = openHomePageSetup();
  expect(((await screen.findByLabelText('Tagline')) as HTMLTextAreaElement).value).toBe(
    'Support our club with Football Doubles - win cash prizes while helping fund our team!',
  );
  unmount();
  renderScreen(
    <HomePageSetup
      here={makePageContext({ archived: true })}
      preview={() => null}
      readable={() => ({ text: 'black', ratio: 5 })}
    />,
    '/club/sharks/admin/home-page-setup',
  );
  expect(await screen.findByText(/^This club is archived/)).toBeTruthy();
  await pressSave();
  expect(server.paths()).not.toContain('PATCH /api/clubs/1/home-page');
});
