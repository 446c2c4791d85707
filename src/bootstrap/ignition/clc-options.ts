// The options of etcd and flannel by version, in the order in which they are written.
//
// A plain word is a text; `:integer` and `:flag` say otherwise. The flag on the command line is the key with `-` for `_`, but
// for flannel's `interface`. A version without an entry of its own uses the newest one below it within its major version.
import type { CoreosVersion } from './coreos-version.js';

/** One option: its key in the configuration, its flag on the command line, its type. */
export interface ServiceOption {
  readonly key: string;
  readonly flag: string;
  readonly type: 'text' | 'integer' | 'flag';
}

/** The options of a service's version; empty when upstream knows none. */
export function serviceOptions(service: 'etcd' | 'flannel', version: CoreosVersion): readonly ServiceOption[] {
  return service === 'etcd' ? etcdOptions(version) : flannelOptions(version);
}

function etcdOptions({ major, minor }: CoreosVersion): readonly ServiceOption[] {
  if (major === 2 && minor >= 3) return ETCD_2_3;
  if (major !== 3) return [];
  return ETCD_3[Math.min(minor, ETCD_3.length - 1)] ?? [];
}

function flannelOptions({ major, minor }: CoreosVersion): readonly ServiceOption[] {
  if (major !== 0 || minor < 5) return [];
  return minor === 5 ? FLANNEL_0_5 : minor === 6 ? FLANNEL_0_6 : FLANNEL_0_7;
}

function parseOptions(words: string): readonly ServiceOption[] {
  return words
    .trim()
    .split(/\s+/)
    .map((word) => {
      const [key = '', type = 'text'] = word.split(':');
      const flag = key === 'interface' ? 'iface' : key.replaceAll('_', '-');
      return { key, flag, type: type === 'integer' || type === 'flag' ? type : 'text' };
    });
}

const ETCD_2_3 = parseOptions(`
    advertise_client_urls ca_file cert_file client_cert_auth:flag cors data_dir debug:flag discovery
    discovery_fallback discovery_srv discovery_proxy election_timeout:integer enable_pprof:flag
    force_new_cluster:flag heartbeat_interval:integer initial_advertise_peer_urls initial_cluster
    initial_cluster_state initial_cluster_token key_file listen_client_urls listen_peer_urls log_package_levels
    max_snapshots:integer max_wals:integer name peer_ca_file peer_cert_file peer_key_file
    peer_client_cert_auth:flag peer_trusted_ca_file proxy proxy_dial_timeout:integer proxy_failure_wait:integer
    proxy_read_timeout:integer proxy_refresh_interval:integer proxy_write_timeout:integer snapshot_count:integer
    strict_reconfig_check:flag trusted_ca_file wal_dir
`);

const ETCD_3_0 = parseOptions(`
    name data_dir wal_dir snapshot_count:integer heartbeat_interval:integer election_timeout:integer
    enable_pprof:flag listen_peer_urls listen_client_urls max_snapshots:integer max_wals:integer cors
    initial_advertise_peer_urls initial_cluster initial_cluster_state initial_cluster_token advertise_client_urls
    discovery discovery_srv discovery_fallback discovery_proxy strict_reconfig_check:flag
    auto_compaction_retention:integer proxy proxy_failure_wait:integer proxy_refresh_interval:integer
    proxy_dial_timeout:integer proxy_write_timeout:integer proxy_read_timeout:integer ca_file cert_file key_file
    client_cert_auth:flag trusted_ca_file auto_tls:flag peer_ca_file peer_cert_file peer_key_file
    peer_client_cert_auth:flag peer_trusted_ca_file peer_auto_tls:flag debug:flag log_package_levels
    force_new_cluster:flag
`);

/** 3.1 only adds options at the end. */
const ETCD_3_1 = [...ETCD_3_0, ...parseOptions('metrics log_output')];

/** 3.2 adds two options in between. */
const ETCD_3_2 = ETCD_3_1.flatMap((option) => {
  if (option.key === 'enable_pprof') return [option, ...parseOptions('enable_v2:flag')];
  return option.key === 'debug' ? [...parseOptions('auth_token'), option] : [option];
});

const ETCD_3_3 = parseOptions(`
    name data_dir wal_dir snapshot_count:integer heartbeat_interval:integer election_timeout:integer
    enable_pprof:flag enable_v2:flag listen_peer_urls listen_client_urls max_snapshots:integer max_wals:integer
    cors quota_backend_bytes:integer max_txn_ops:integer max_request_bytes:integer grpc_keepalive_min_time
    grpc_keepalive_interval grpc_keepalive_timeout initial_advertise_peer_urls initial_cluster
    initial_cluster_state initial_cluster_token advertise_client_urls discovery discovery_srv discovery_fallback
    discovery_proxy strict_reconfig_check:flag auto_compaction_retention auto_compaction_mode proxy
    proxy_failure_wait:integer proxy_refresh_interval:integer proxy_dial_timeout:integer
    proxy_write_timeout:integer proxy_read_timeout:integer ca_file cert_file key_file client_cert_auth:flag
    client_crl_file trusted_ca_file auto_tls:flag peer_ca_file peer_cert_file peer_key_file
    peer_client_cert_auth:flag peer_crl_file peer_trusted_ca_file peer_auto_tls:flag peer_cert_allowed_cn
    auth_token debug:flag log_package_levels force_new_cluster:flag metrics log_output listen_metrics_urls
    experimental_initial_corrupt_check:flag experimental_corrupt_check_time experimental_enable_v2v3
`);

const ETCD_3_4 = parseOptions(`
    name data_dir wal_dir snapshot_count:integer heartbeat_interval:integer election_timeout:integer
    initial_election_tick_advance:flag listen_peer_urls listen_client_urls max_snapshots:integer max_wals:integer
    quota_backend_bytes:integer backend_batch_interval backend_batch_limit:integer max_txn_ops:integer
    max_request_bytes:integer grpc_keepalive_min_time grpc_keepalive_interval grpc_keepalive_timeout
    initial_advertise_peer_urls initial_cluster initial_cluster_state initial_cluster_token advertise_client_urls
    discovery discovery_fallback discovery_proxy discovery_srv discovery_srv_name strict_reconfig_check:flag
    pre_vote:flag auto_compaction_retention auto_compaction_mode enable_v2:flag cert_file key_file
    client_cert_auth:flag client_crl_file client_cert_allowed_hostname trusted_ca_file auto_tls:flag peer_cert_file
    peer_key_file peer_client_cert_auth:flag peer_trusted_ca_file peer_cert_allowed_cn peer_cert_allowed_hostname
    peer_auto_tls:flag peer_crl_file cipher_suites cors host_whitelist auth_token bcrypt_cost:integer
    auth_token_ttl:integer enable_pprof:flag metrics listen_metrics_urls logger log_outputs log_level proxy
    proxy_failure_wait:integer proxy_refresh_interval:integer proxy_dial_timeout:integer
    proxy_write_timeout:integer proxy_read_timeout:integer experimental_initial_corrupt_check:flag
    experimental_corrupt_check_time experimental_enable_v2v3 experimental_backend_bbolt_freelist_type
    experimental_enable_lease_checkpoint:flag experimental_compaction_batch_limit:integer
    experimental_watch_progress_notify_interval experimental_warning_apply_duration force_new_cluster:flag
    debug:flag log_package_levels
`);

const ETCD_3_5 = parseOptions(`
    name data_dir wal_dir snapshot_count:integer heartbeat_interval:integer election_timeout:integer
    initial_election_tick_advance:flag listen_peer_urls listen_client_urls max_snapshots:integer max_wals:integer
    quota_backend_bytes:integer backend_bbolt_freelist_type backend_batch_interval backend_batch_limit:integer
    max_txn_ops:integer max_request_bytes:integer grpc_keepalive_min_time grpc_keepalive_interval
    grpc_keepalive_timeout socket_reuse_port:flag socket_reuse_address:flag initial_advertise_peer_urls
    initial_cluster initial_cluster_state initial_cluster_token advertise_client_urls discovery discovery_fallback
    discovery_proxy discovery_srv discovery_srv_name strict_reconfig_check:flag pre_vote:flag
    auto_compaction_retention auto_compaction_mode enable_v2:flag v2_deprecation cert_file key_file
    client_cert_auth:flag client_crl_file client_cert_allowed_hostname trusted_ca_file auto_tls:flag peer_cert_file
    peer_key_file peer_client_cert_auth:flag peer_trusted_ca_file peer_cert_allowed_cn peer_cert_allowed_hostname
    peer_auto_tls:flag self_signed_cert_validity:integer peer_crl_file cipher_suites cors host_whitelist auth_token
    bcrypt_cost:integer auth_token_ttl:integer enable_pprof:flag metrics listen_metrics_urls logger log_outputs
    log_level enable_log_rotation:flag log_rotation_config_json experimental_enable_distributed_tracing:flag
    experimental_distributed_tracing_address experimental_distributed_tracing_service_name
    experimental_distributed_tracing_instance_id proxy proxy_failure_wait:integer proxy_refresh_interval:integer
    proxy_dial_timeout:integer proxy_write_timeout:integer proxy_read_timeout:integer
    experimental_initial_corrupt_check:flag experimental_corrupt_check_time experimental_enable_v2v3
    experimental_enable_lease_checkpoint:flag experimental_compaction_batch_limit:integer
    experimental_watch_progress_notify_interval experimental_warning_apply_duration
    experimental_txn_mode_write_with_shared_buffer:flag force_new_cluster:flag unsafe_no_fsync:flag
`);

const ETCD_3 = [ETCD_3_0, ETCD_3_1, ETCD_3_2, ETCD_3_3, ETCD_3_4, ETCD_3_5];

const FLANNEL_0_7 = parseOptions(`
    etcd_username etcd_password etcd_endpoints etcd_cafile etcd_certfile etcd_keyfile etcd_prefix ip_masq
    subnet_file interface public_ip kube_subnet_mgr:flag
`);

const FLANNEL_0_6 = FLANNEL_0_7.filter((option) => option.key !== 'kube_subnet_mgr');
const FLANNEL_0_5 = FLANNEL_0_6.filter((option) => option.key !== 'etcd_username' && option.key !== 'etcd_password');
