import '@/features/club/frame/frame.css';
import '@/features/club/dashboard/dashboard.css';
import { AdminHome } from '@/features/club/session/admin-home';

export function Page() {
  return <AdminHome />;
}
